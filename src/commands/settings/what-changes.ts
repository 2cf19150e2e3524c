import type { WhatChanges } from '../../cli/operation/call/operation-input.ts';
import { readSettings, settingsRun } from './settings-diff.ts';
import { templateFields } from './template-fields.ts';

/** Who gives no settings is asked which to change, templates of messages included. */
export const whatChanges: WhatChanges = {
  example: '--quiet-hours-enabled',
  async read(given) {
    const { document } = await readSettings(await settingsRun(given));
    return { current: document, moreFields: templateFields(document) };
  },
};
