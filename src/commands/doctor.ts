import type { CommandDefinition } from '../cli/command/command-definition.ts';
import { inputNeeded, missingConnection } from '../cli/command/input-needed.ts';
import { printJson } from '../cli/command/print-json.ts';
import type { Session } from '../cli/command/session.ts';
import type { Ui } from '../cli/command/ui.ts';
import { describeTarget } from '../cli/config/connection-settings.ts';
import { phrase, phraseText, toRun } from '../cli/config/phrase.ts';
import { CliError } from '../cli/core/errors.ts';
import { printableLines } from '../cli/core/sanitize.ts';
import { recording } from '../cli/operation/send/send-run.ts';
import { tryKey } from '../cli/operation/try-key.ts';
import { formatDistance } from '../cli/output/format-value.ts';
import { type Row, renderRecord } from '../cli/output/tables.ts';

/** What one check found. */
interface Finding {
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  /** May hold untrusted text. */
  readonly message: string;
}

/** A check that ends with the error that any other command would end with. */
type Check = (session: Session) => Promise<Finding>;

/** In their order. Scripts may compare the names. */
const checks: Readonly<Record<string, Check>> = {
  settings: checkSettings,
  history: checkHistory,
  access: checkAccess,
};

export const command: CommandDefinition = {
  description: `Check settings, history and key. The key is checked with one read-only request, and is sent only to the base
URL that it belongs to. Stops at the first problem, with its exit code and a way to fix it. Warnings do not affect the exit
code.`,
  examples: ['doctor', 'doctor --profile outlet --json', '--demo doctor'],
  async run({ ui, session }) {
    const findings: (Finding & { readonly check: string })[] = [];
    let problem: CliError | null = null;
    for (const [check, look] of Object.entries(checks)) {
      if (problem !== null) {
        findings.push({ check, status: 'skipped', message: 'fix the problem first' });
        continue;
      }
      try {
        findings.push({ check, ...(await look(session)) });
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        problem = error;
        findings.push({ check, status: 'problem', message: 'see the error' });
      }
    }
    if (ui.json) printJson(ui, findings);
    else if (!ui.quiet) {
      const rows = findings.map(({ check, ...finding }) =>
        rowOf(ui, check.padEnd('settings'.length), finding),
      );
      ui.print(renderRecord(rows, ui.out));
    }
    if (problem !== null) throw problem;
    return undefined;
  },
};

function rowOf({ out: { color } }: Ui, check: string, { status, message }: Finding): Row {
  const paint = { ok: color.green, warning: color.yellow, problem: color.red, skipped: color.dim };
  return [`${check}  ${paint[status](status)}`, printableLines(message)];
}

/** Where requests go. */
async function checkSettings(session: Session): Promise<Finding> {
  const settings = await session.settings();
  const missing = missingConnection(settings);
  if (missing.length > 0) throw inputNeeded(missing);
  return { status: 'ok', message: describeTarget(settings) };
}

async function checkHistory(session: Session): Promise<Finding> {
  const history = await session.history();
  const records = await recording(session, async () => history.listWhole());
  const open = records.filter(({ open }) => open);
  const oldest = open.at(-1);
  const count = records.length === 1 ? '1 change' : `${records.length} changes`;
  if (oldest === undefined) return { status: 'ok', message: `${count} in ${history.journal.folder}` };
  const age = formatDistance(Date.parse(oldest.createdAt) - Date.now());
  const advice = phraseText(phrase`run ${toRun('resume')}`, session.flags);
  return { status: 'warning', message: `${count}, ${open.length} open, the oldest ${age}\n${advice}` };
}

/** Checks the key with one read-only request. */
async function checkAccess(session: Session): Promise<Finding> {
  const connection = await session.connect();
  const canRead = await tryKey(session, connection);
  const which = canRead ? ` for store ${connection.storeId}` : ', but lacks the scope settings:read';
  return { status: 'ok', message: `the key works${which}` };
}
