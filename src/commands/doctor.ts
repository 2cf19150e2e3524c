import type { CommandDefinition } from '../cli/command/command-definition.ts';
import { inputNeeded, missingConnection } from '../cli/command/input-needed.ts';
import { printJson } from '../cli/command/print-json.ts';
import type { Session } from '../cli/command/session.ts';
import type { Ui } from '../cli/command/ui.ts';
import { describeTarget } from '../cli/config/connection-settings.ts';
import { type Phrase, phrase, phraseText, toRun } from '../cli/config/phrase.ts';
import { CliError } from '../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../cli/core/exit-codes.ts';
import { printableLines } from '../cli/core/sanitize.ts';
import { recording } from '../cli/operation/send/send-run.ts';
import { tryKey } from '../cli/operation/try-key.ts';
import { describeFailure } from '../cli/output/failure-text.ts';
import { formatDistance } from '../cli/output/format-value.ts';
import { type Row, renderRecord } from '../cli/output/tables.ts';

/** What one check found. */
interface Finding {
  /** Stable name of the check: scripts may compare it. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  /** May hold untrusted text. */
  readonly message: string;
  /** What to do about it, or null. */
  readonly fix: string | null;
}

/** What a check says if it does not fail. With a `fix` it is a warning. */
interface Passed {
  readonly message: string;
  readonly fix?: Phrase;
}

/** A check that ends with the error that any other command would end with. */
type Check = (session: Session) => Promise<Passed>;

const checks: Readonly<Record<string, Check>> = {
  settings: checkSettings,
  access: checkAccess,
  history: checkHistory,
};

export const command: CommandDefinition = {
  description: `Check settings, key and history. Each problem comes with a way to fix it. The key is checked with one
read-only request, and is sent only to the base URL that it belongs to. Exits with 0 if there is no problem, otherwise with
the exit code of the first one. Warnings do not affect the exit code.`,
  examples: ['doctor', 'doctor --profile outlet --json', '--demo doctor'],
  async run({ ui, session }) {
    const findings: Finding[] = [];
    let exitCode: ExitCode = exitCodes.done;
    for (const [check, look] of Object.entries(checks)) {
      if (findings[0]?.status === 'problem') {
        findings.push({ check, status: 'skipped', message: 'fix "settings" first', fix: null });
        continue;
      }
      try {
        const { message, fix } = await look(session);
        const status = fix === undefined ? 'ok' : 'warning';
        findings.push({ check, status, message, fix: fix ? phraseText(fix, session.flags) : null });
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        const { message, hint } = describeFailure(error.failure, { now: Date.now(), flags: session.flags });
        findings.push({ check, status: 'problem', message, fix: hint ?? null });
        if (exitCode === exitCodes.done) exitCode = error.failure.exitCode;
      }
    }
    print(ui, findings);
    return { exitCode };
  },
};

/** Where requests go. */
async function checkSettings(session: Session): Promise<Passed> {
  const settings = await session.settings();
  const missing = missingConnection(settings);
  if (missing.length > 0) throw inputNeeded(missing);
  return { message: describeTarget(settings) };
}

/** Checks the key with one read-only request. */
async function checkAccess(session: Session): Promise<Passed> {
  const connection = await session.connect();
  const canRead = await tryKey(session, connection);
  const which = canRead ? ` for store ${connection.storeId}` : ', but lacks the scope settings:read';
  return { message: `the key works${which}` };
}

async function checkHistory(session: Session): Promise<Passed> {
  const history = await session.history();
  const records = await recording(session, async () => history.listWhole());
  const open = records.filter(({ open }) => open);
  const oldest = open.at(-1);
  const count = records.length === 1 ? '1 change' : `${records.length} changes`;
  if (oldest === undefined) return { message: `${count} in ${history.journal.folder}` };
  const age = formatDistance(Date.parse(oldest.createdAt) - Date.now());
  return { message: `${count}, ${open.length} open, the oldest ${age}`, fix: phrase`run ${toRun('resume')}` };
}

function print(ui: Ui, findings: readonly Finding[]): void {
  const { out, print: write } = ui;
  if (ui.json) {
    printJson(ui, findings);
    return;
  }
  if (ui.quiet) {
    for (const { check, status } of findings) if (status === 'problem') write(check);
    return;
  }
  const { color } = out;
  const paint = { ok: color.green, warning: color.yellow, problem: color.red, skipped: color.dim };
  const rows = findings.map(({ check, status, message, fix }): Row => {
    const lines = [message, ...(fix === null ? [] : [`→ ${fix}`])];
    return [
      `${check.padEnd('settings'.length)}  ${paint[status](status)}`,
      lines.map(printableLines).join('\n'),
    ];
  });
  write(renderRecord(rows, out));
}
