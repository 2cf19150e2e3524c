import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { demoProfile, nameProfileInCommands } from '../../cli/config/connection-settings.ts';
import { printableLines } from '../../cli/core/sanitize.ts';
import { wrapText } from '../../cli/output/wrap.ts';
import { checkAccess } from './access.ts';
import { checkCompletion } from './completion.ts';
import { type Finding, notChecked } from './finding.ts';
import { checkAuthorities, checkNode } from './machine.ts';
import { checkNetwork } from './network.ts';
import { checkSettings, type SettingsFindings } from './settings.ts';
import { checkHistory, checkStateFolder } from './state.ts';

/** Default timeout of one network step; --timeout changes it. */
const stepMs = 5_000;

export const command: CommandDefinition = {
  description: `Check the setup: settings, key, network, clock and history. Each problem comes with a way to fix it. The key
is checked with a read-only request, and is sent only to the base URL that it belongs to.
Exits with 0 if there is no problem, otherwise with the exit code of the first one. Warnings do not affect the exit code.`,
  examples: ['doctor', 'doctor --profile outlet --json', '--demo doctor'],
  async run(context) {
    const checked = await checkSettings(context);
    const [connection, history] = await Promise.all([
      checkConnection(context, checked),
      checked.settings === null ? [] : checkHistory(context),
    ]);
    const findings = [
      checkNode(context.io),
      ...checked.findings,
      ...withSkipped(connection, connectionChecks(checked), checked.findings),
      ...withSkipped(checkStateFolder(context), ['state', 'space']),
      ...withSkipped(history, ['history', 'open', 'locks'], checked.findings),
      checkCompletion(context.io),
    ];
    const { profile } = context.flags;
    print(
      context,
      findings.map((finding) => ({
        ...finding,
        fix: finding.fix && nameProfileInCommands(finding.fix, profile),
      })),
    );
    return findings.find(({ status }) => status === 'problem')?.exitCode;
  },
};

/** The checks of the connection to the service, in their order. The demo service needs no network. */
function connectionChecks({ settings }: SettingsFindings): string[] {
  const steps =
    settings?.profile === demoProfile
      ? []
      : ['proxy', 'dns', 'connection', ...(settings?.baseUrl?.value.protocol === 'http:' ? [] : ['tls'])];
  return [...steps, 'access', 'clock'];
}

/** The findings, followed by those of `checks` that were skipped. The first problem, if any, is the reason. */
function withSkipped(
  findings: readonly Finding[],
  checks: readonly string[],
  before: readonly Finding[] = [],
): Finding[] {
  const problem = [...before, ...findings].find(({ status }) => status === 'problem');
  const reason = problem === undefined ? 'no information' : `fix "${problem.check}" first`;
  const left = checks.filter((name) => !findings.some(({ check }) => check === name));
  return [...findings, ...left.map((check) => notChecked(check, reason))];
}

/** The network, then the key. Each is checked only if the one before has no problem. */
async function checkConnection(
  context: Context,
  { settings, mayTryKey }: SettingsFindings,
): Promise<Finding[]> {
  const { io, flags } = context;
  const timeoutMs = flags.timeoutMs ?? stepMs;
  const url = settings?.baseUrl?.value;
  const options = { env: io.env, timeoutMs, now: context.now() };
  const network = [
    ...checkAuthorities(io),
    ...(url === undefined ? [] : await context.waitFor(url.host, () => checkNetwork(url, options))),
  ];
  if (!mayTryKey || network.some(({ status }) => status === 'problem')) return network;
  return [...network, ...(await checkAccess(context, timeoutMs))];
}

function print(context: Context, findings: readonly Finding[]): void {
  const { flags, out, print: write } = context;
  if (flags.json) {
    const shown = findings.map(({ check, status, message, fix }) => ({ check, status, message, fix }));
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
  for (const { check, status, message, fix } of findings) {
    const lines = [message, ...(fix === null ? [] : [`→ ${fix}`])]
      .map(printableLines)
      .map((text) => (out.width === null ? text : wrapText(text, out.width - indent)))
      .join('\n')
      .replaceAll('\n', `\n${' '.repeat(indent)}`);
    const label = check.padEnd(indent - '  problem  '.length);
    write(`${color.bold(label)}  ${paint[status](status.padEnd('problem'.length))}  ${lines}`);
  }
}
