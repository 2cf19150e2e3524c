import type { CommandDefinition } from '../cli/command/command-definition.ts';
import { inputNeeded, missingConnection } from '../cli/command/input-needed.ts';
import { printJson } from '../cli/command/print-json.ts';
import type { Session } from '../cli/command/session.ts';
import type { Ui } from '../cli/command/ui.ts';
import { describeTarget } from '../cli/config/connection-settings.ts';
import { phrase, phraseText, toRun } from '../cli/config/phrase.ts';
import { joined, line } from '../cli/core/sanitize.ts';
import { withHistoryErrors } from '../cli/operation/send/refusals.ts';
import { tryKey } from '../cli/operation/try-key.ts';
import { formatDistance } from '../cli/output/format-value.ts';
import { countRecords } from '../cli/output/record-summary.ts';
import { type Row, renderRecord } from '../cli/output/tables.ts';

/** What a check found that found no problem. */
interface CheckResult {
  readonly status: 'ok' | 'warning';
  /** May hold untrusted text. */
  readonly message: string;
}

/** In their order. A problem is the error that any other command would end with. Scripts may compare the names. */
const checks = { settings: checkSettings, history: checkHistory, access: checkAccess };

export const command: CommandDefinition = {
  description: `Check settings, history and key. The key is checked with one read-only request, and is sent only to the base
URL that it belongs to. Stops at the first problem, with its exit code and a way to fix it. Warnings do not affect the exit
code.`,
  examples: ['doctor', 'doctor --profile outlet --json', '--demo doctor'],
  async run({ ui, session }) {
    const findings: (CheckResult & { readonly check: string })[] = [];
    try {
      for (const [check, look] of Object.entries(checks)) findings.push({ check, ...(await look(session)) });
    } finally {
      printFindings(ui, findings);
    }
  },
};

function printFindings(ui: Ui, findings: readonly (CheckResult & { readonly check: string })[]): void {
  if (ui.json) printJson(ui, findings);
  if (ui.json || ui.quiet || findings.length === 0) return;
  const paint = { ok: ui.out.color.green, warning: ui.out.color.yellow };
  const rows = findings.map(({ check, status, message }): Row => {
    if (ui.out.plain) return [check, `${status}, ${message}`];
    return [
      { drawn: joined([line`${check.padEnd('settings'.length)} `, paint[status](line`${status}`)], ' ') },
      message,
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
  const canRead = await tryKey(session, connection);
  const which = canRead ? ` for store ${connection.storeId}` : ', but lacks the scope settings:read';
  return { status: 'ok', message: `the key works${which}` };
}
