import type { CommandDefinition } from '../cli/command/command-definition.ts';
import { inputNeeded, missingConnection } from '../cli/command/input-needed.ts';
import { printJson } from '../cli/command/print-json.ts';
import type { Session } from '../cli/command/session.ts';
import type { Ui } from '../cli/command/ui.ts';
import { describeTarget } from '../cli/config/connection-settings.ts';
import { phrase, phraseText, toRun } from '../cli/config/phrase.ts';
import { CliError } from '../cli/core/errors.ts';
import { joined, line } from '../cli/core/sanitize.ts';
import { withHistoryErrors } from '../cli/operation/send/refusals.ts';
import { tryKey } from '../cli/operation/try-key.ts';
import { formatDistance } from '../cli/output/format-value.ts';
import { countRecords } from '../cli/output/record-summary.ts';
import { type Row, renderRecord } from '../cli/output/tables.ts';

/** What a check found. */
interface CheckResult {
  readonly status: 'ok' | 'warning' | 'failed' | 'not checked';
  /** May hold untrusted text. */
  readonly message: string;
}

interface Finding extends CheckResult {
  readonly check: string;
  /** The problem that the command ends with says it. */
  readonly isSaidBelow?: boolean;
}

/**
 * In their order. A problem is the error that any other command would end with. The others need what the first one finds. Scripts may
 * compare the names.
 */
const checks = { settings: checkSettings, history: checkHistory, access: checkAccess };

export const command: CommandDefinition = {
  description: `Check settings, history and key. The key is checked with one read-only request, and is sent only to the base
URL that it belongs to. Ends with the exit code of the first problem, and a way to fix it. Warnings do not affect the exit
code.`,
  examples: ['doctor', 'doctor --profile outlet --json', '--demo doctor'],
  async run({ ui, session }) {
    const findings: Finding[] = [];
    const problems: CliError[] = [];
    for (const [check, look] of Object.entries(checks)) {
      const isFirst = findings.length === 0;
      if (!isFirst && findings[0]?.status === 'failed') {
        findings.push({ check, status: 'not checked', message: '' });
        continue;
      }
      try {
        findings.push({ check, ...(await look(session)) });
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        const message = describeProblem(error);
        findings.push({ check, status: 'failed', message, isSaidBelow: problems.length === 0 });
        problems.push(error);
      }
    }
    printFindings(ui, findings);
    const [problem] = problems;
    if (problem !== undefined) throw problem;
    return undefined;
  },
};

/** A problem in one line, without what to do. */
function describeProblem({ failure: { what, fields = [] } }: CliError): string {
  return what ?? `${fields.map(({ give, field }) => give ?? field).join(', ')}: not set`;
}

function printFindings(ui: Ui, findings: readonly Finding[]): void {
  if (ui.json) {
    printJson(
      ui,
      findings.map(({ check, status, message }) => ({ check, status, message })),
    );
  }
  if (ui.json || ui.quiet) return;
  const { green, yellow, red, dim } = ui.out.color;
  const paint = { ok: green, warning: yellow, failed: red, 'not checked': dim };
  const rows = findings.map(({ check, status, message, isSaidBelow }): Row => {
    const said = isSaidBelow === true ? 'see the error below' : message;
    if (ui.out.plain) return [check, [status, said].filter(Boolean).join(', ')];
    return [
      { drawn: joined([line`${check.padEnd('settings'.length)} `, paint[status](line`${status}`)], ' ') },
      said,
    ];
  });
  ui.print(renderRecord(rows, ui.out));
}

/** Where requests go. */
async function checkSettings(session: Session): Promise<CheckResult> {
  const settings = await session.settings();
  const missing = missingConnection(settings, session.io.env);
  if (missing.length > 0) throw inputNeeded(missing);
  return { status: 'ok', message: describeTarget(settings) };
}

async function checkHistory(session: Session): Promise<CheckResult> {
  const history = await session.history();
  const records = await withHistoryErrors(session, async () => {
    const listed = history.snapshot().listWhole();
    history.journal.assertWritable();
    return listed;
  });
  const open = records.filter(({ open }) => open);
  const oldest = open.at(-1);
  const count = countRecords(records);
  if (oldest === undefined) return { status: 'ok', message: `${count} in ${history.journal.folder}` };
  const age = formatDistance(Date.parse(oldest.createdAt) - Date.now());
  const advice = phraseText(phrase`run ${toRun('resume')}`, session.flags);
  return { status: 'warning', message: `${count}, ${open.length} open, the oldest ${age}\n${advice}` };
}

/** Checks the key with one read-only request. */
async function checkAccess(session: Session): Promise<CheckResult> {
  const connection = await session.connect();
  const isForStore = await tryKey(session, connection);
  const which = isForStore ? ` for store ${connection.storeId}` : '';
  return { status: 'ok', message: `the key works${which}` };
}
