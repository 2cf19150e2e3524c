import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { phraseText } from '../../cli/config/phrase.ts';
import { CliError } from '../../cli/core/errors.ts';
import { printableLines } from '../../cli/core/sanitize.ts';
import { tryKey } from '../../cli/operation/try-key.ts';
import { type Row, renderRecord } from '../../cli/output/tables.ts';
import { type Finding, notChecked, ok, problemOf } from './finding.ts';
import { checkHistory } from './history.ts';
import { checkSettings } from './settings.ts';

export const command: CommandDefinition = {
  description: `Check settings, history and key. Each problem comes with a way to fix it. The key is checked with one
read-only request, and is sent only to the base URL that it belongs to. Exits with 0 if there is no problem, otherwise with
the exit code of the first one. Warnings do not affect the exit code.`,
  examples: ['doctor', 'doctor --profile outlet --json', '--demo doctor'],
  async run({ ui, session }) {
    const found = await checkSettings(session);
    const broken = found.filter(({ status }) => status === 'problem');
    const skipped = (check: string) => notChecked(check, `fix "${broken[0]?.check}" first`);
    const findings = [
      ...found,
      broken.length === 0 ? await checkAccess(session) : skipped('access'),
      // A history belongs to a store. The key does not matter.
      ...(broken.every(({ check }) => check === 'key') ? await checkHistory(session) : [skipped('history')]),
    ];
    print(
      ui,
      findings.map((finding) => ({
        ...finding,
        fix: finding.fix && phraseText(finding.fix, session.flags),
      })),
    );
    const first = findings.find(({ status }) => status === 'problem');
    return first && { exitCode: first.exitCode };
  },
};

/** Checks address and key with one read-only request. */
async function checkAccess(session: Session): Promise<Finding> {
  try {
    const connection = await session.connect();
    const canRead = await tryKey(session, connection);
    const which = canRead ? ` for store ${connection.storeId}` : ', but lacks the scope settings:read';
    return ok('access', `the key works${which}`);
  } catch (error) {
    if (error instanceof CliError) return problemOf(session, 'access', error);
    throw error;
  }
}

/** A finding whose fix names the profile. */
type ShownFinding = Finding & { readonly fix: string | null };

function print(ui: Ui, findings: readonly ShownFinding[]): void {
  const { out, print: write } = ui;
  if (ui.json) {
    const shown = findings.map(({ check, status, message, fix }) => ({ check, status, message, fix }));
    printJson(ui, shown);
    return;
  }
  if (ui.quiet) {
    for (const { check, status } of findings) if (status === 'problem') write(check);
    return;
  }
  const { color } = out;
  const paint = { ok: color.green, warning: color.yellow, problem: color.red, skipped: color.dim };
  const checkWidth = Math.max(...findings.map(({ check }) => check.length));
  const rows = findings.map(({ check, status, message, fix }): Row => {
    const lines = [message, ...(fix === null ? [] : [`→ ${fix}`])];
    return [`${check.padEnd(checkWidth)}  ${paint[status](status)}`, lines.map(printableLines).join('\n')];
  });
  write(renderRecord(rows, out));
}
