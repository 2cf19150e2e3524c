import { type ExitCode, exitCodes } from '../../cli/core/exit-codes.ts';

/** What each exit code means, and what to do next. */
const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'Done.',
  bug: 'A bug in storectl. Call history_list to see what was sent before you do anything else.',
  usage: 'Wrong input, nothing was sent. Correct it as the error says, then call again.',
  inputNeeded: 'Input is missing, nothing was sent. Ask the user for it, then call again.',
  notAllowed:
    'No key, or the key was refused; nothing was applied. The user has to log in: storectl auth login.',
  notFound: 'Not found, nothing was applied. Check the id, for example with the tools that list.',
  conflict: 'Conflict, nothing was applied. Look at what is there now before you try again.',
  rejected: 'Rejected by the service, nothing was applied. Correct the input as the error says.',
  throttled: 'Rate limited, nothing was applied. Wait as long as the error says, then call again.',
  notApplied: 'The service failed or was not reached, nothing was applied. doctor checks the connection.',
  unknown: 'Outcome unknown: it may have been applied. Do not repeat it; resume settles it.',
  localState:
    'Settings or history cannot be used, nothing was sent. Call doctor, and tell the user what it finds.',
  outputFailed: 'Applied, but the response could not be written. history_show has it.',
  cancelled: 'Cancelled before anything was sent.',
};

const byCode = new Map(Object.entries(meanings).map(([name, text]) => [codeOf(name), text]));

function codeOf(name: string): ExitCode {
  return exitCodes[name as keyof typeof exitCodes];
}

export function explainExitCode(code: ExitCode): string | undefined {
  return byCode.get(code);
}

/** All of them, one a line. */
export function exitCodeGuide(): string {
  return [...byCode].map(([code, text]) => `${code}: ${text}`).join('\n');
}
