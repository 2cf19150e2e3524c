import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { printableLines } from '../../cli/core/sanitize.ts';
import { wrapText } from '../../cli/output/wrap.ts';
import { checkAccess } from './access.ts';
import { checkCompletion } from './completion.ts';
import { type Finding, notChecked } from './finding.ts';
import { checkAuthorities, checkNode } from './machine.ts';
import { checkNetwork } from './network.ts';
import { checkSettings, type SettingsFindings } from './settings.ts';
import { checkHistory, checkStateFolder } from './state.ts';

/** For one step on the network, where --timeout does not say otherwise. */
const stepMs = 5_000;

export const command: CommandDefinition = {
  description: `Look for what is wrong with the set-up: settings, key, network, clock, history. Each finding says how to
mend it; what could not be checked is said to be so. The key is tried with a read that changes nothing, and goes only to
the address that it belongs to.
Ends with 0 when nothing is wrong, else with the exit code of the first problem; warnings do not count.`,
  examples: ['doctor', 'doctor --profile outlet --json', '--demo doctor'],
  async run(context) {
    const about = await checkSettings(context);
    const [way, history] = await Promise.all([
      checkWay(context, about),
      about.settings === null ? [] : checkHistory(context),
    ]);
    const findings = [
      checkNode(context.io),
      ...about.findings,
      ...whole(way, waySteps(about), about.findings),
      ...whole(checkStateFolder(context), ['state', 'space']),
      ...whole(history, ['history', 'open', 'locks'], about.findings),
      checkCompletion(context.io),
    ];
    print(context, findings);
    return findings.find(({ status }) => status === 'problem')?.exitCode;
  },
};

/** The checks of the way to the service, in their order. The demo's service is no way off. */
function waySteps({ settings }: SettingsFindings): string[] {
  const steps =
    settings?.profile === demoProfile
      ? []
      : ['proxy', 'dns', 'connection', ...(settings?.baseUrl?.value.protocol === 'http:' ? [] : ['tls'])];
  return [...steps, 'access', 'clock'];
}

/** The findings with a line for each of the `checks` that was not done: what was found before it is why. */
function whole(
  findings: readonly Finding[],
  checks: readonly string[],
  before: readonly Finding[] = [],
): Finding[] {
  const problem = [...before, ...findings].find(({ status }) => status === 'problem');
  const reason = problem === undefined ? 'nothing was found to tell it by' : `first mend ${problem.check}`;
  const left = checks.filter((name) => !findings.some(({ check }) => check === name));
  return [...findings, ...left.map((check) => notChecked(check, reason))];
}

/** The way to the service, then the key, each only where the one before is in order. */
async function checkWay(context: Context, { settings, mayTryKey }: SettingsFindings): Promise<Finding[]> {
  const { io, flags } = context;
  const timeoutMs = flags.timeoutMs ?? stepMs;
  const url = settings?.baseUrl?.value;
  const way = [
    ...checkAuthorities(io),
    ...(url === undefined ? [] : await checkNetwork(url, { env: io.env, timeoutMs, now: context.now() })),
  ];
  if (!mayTryKey || way.some(({ status }) => status === 'problem')) return way;
  return [...way, ...(await checkAccess(context, timeoutMs))];
}

function print(context: Context, findings: readonly Finding[]): void {
  const { flags, out, print: write } = context;
  if (flags.json) {
    const shown = findings.map(({ check, status, message, mend }) => ({ check, status, message, mend }));
    printJson(context, shown);
    return;
  }
  if (flags.quiet) {
    for (const { check, status } of findings) if (status === 'problem') write(check);
    return;
  }
  const { color } = out;
  const paint = { ok: color.green, warning: color.yellow, problem: color.red, skipped: color.dim };
  const indent = Math.max(...findings.map(({ check }) => check.length)) + '  problem  '.length;
  for (const { check, status, message, mend } of findings) {
    const lines = [message, ...(mend === null ? [] : [`→ ${mend}`])]
      .map(printableLines)
      .map((text) => (out.width === null ? text : wrapText(text, out.width - indent)))
      .join('\n')
      .replaceAll('\n', `\n${' '.repeat(indent)}`);
    const label = check.padEnd(indent - '  problem  '.length);
    write(`${color.bold(label)}  ${paint[status](status.padEnd('problem'.length))}  ${lines}`);
  }
}
