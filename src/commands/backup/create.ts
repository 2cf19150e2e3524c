import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { getPath } from '../../cli/core/field-path.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { ciDate, fillLabel } from '../../cli/input/ci-run.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { perform } from '../../cli/operation/run/send.ts';
import { createBackup } from '../../contract/operations/backups.ts';
import { allProfiles, profilesOf } from './profiles.ts';

const one = operationCommand({
  operation: createBackup,
  description: `Back up sections of the store, such as store, blog, settings and endpoints. With the same idempotency key,
running the command again creates no second backup. In the label, {date} is replaced by the day (UTC) and {run} by the
number of the CI run. With several profiles, the store of each is backed up; one that fails does not stop the others, and
storectl exits with the most severe code.`,
  question: 'Create this backup?',
  done: ({ answer }) =>
    `Created backup "${String(getPath(answer, ['label']))}" (${String(getPath(answer, ['sections'])).replaceAll(',', ', ')})`,
  examples: [
    'backup create --label nightly --sections store,blog',
    'backup create --label "before the sale" --sections store --output-file backup.json',
    'backup create --label nightly --sections store --idempotency-key "nightly-$(date +%F)"',
    'backup create --label "run {run}" --sections store --idempotency-from ci',
    'backup create --label nightly --sections store --profile shop --profile outlet',
  ],
  options: [
    {
      flag: allProfiles,
      description: 'Back up the store of each stored profile; --profile NAME can be repeated to choose some',
      group: 'Input:',
    },
  ],
  prepare(body, { context, parsed }) {
    const { label } = body;
    if (typeof label !== 'string') return null;
    body.label = fillLabel(label, context.io.env, context.now());
    const keyed = optionValue(parsed, '--idempotency-from') ?? optionValue(parsed, '--idempotency-key');
    if (keyed !== undefined && label.includes('{date}') && ciDate(context.io.env) === null) {
      context.notice(
        'Warning: the label changes every day because of {date}, so the same idempotency key fails on another day.',
      );
    }
    return null;
  },
  perform(run) {
    const { request, ui } = run;
    const label = request.body?.label;
    if (typeof label !== 'string') return perform(run);
    // A label typed at a prompt was not there yet in `prepare`.
    const filled = fillLabel(label, ui.context.io.env, ui.context.now());
    return perform({ ...run, request: { ...request, body: { ...request.body, label: filled } } });
  },
});

export const command: CommandDefinition = {
  ...one,
  async run(context, parsed) {
    const profiles = await profilesOf(context, parsed);
    if (profiles === null) return one.run(context, parsed);
    const { backUpMany } = await import('./create-many.ts');
    return backUpMany(context, parsed, profiles, one);
  },
};
