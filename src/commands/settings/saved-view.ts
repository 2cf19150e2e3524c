import { isObject } from '../../base/json.ts';
import { getPath } from '../../cli/core/field-path.ts';
import { changesBetween } from '../../cli/core/json-changes.ts';
import type { ResultView } from '../../cli/operation/call/operation-command.ts';
import { describeChanges } from '../../cli/output/describe-changes.ts';
import { clientFields } from '../../contract/operations/settings.ts';

/** How saved settings are shown: only what changed. */
export const savedView = {
  done: () => 'Saved the operations settings',
  show: ({ answer, record }, { ui }) => {
    if (record === null || record.former === null || !isObject(answer)) return '';
    const changes = changesBetween(clientFields(JSON.parse(record.former)), clientFields(answer));
    return describeChanges(changes, ui.out);
  },
  id: (answer) => getPath(answer, ['storeId']),
} satisfies ResultView;
