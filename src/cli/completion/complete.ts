import { readPackageFile } from '../../base/package-file.ts';
import type { Places } from './ids.ts';
import type { CompletionModel } from './model.ts';
import { offerFor } from './offer.ts';
import { readRequest, writeAnswer } from './protocols.ts';

/**
 * Answers `storectl __complete SHELL …`, which the completion scripts run; protocols.ts describes the arguments. Loads
 * neither the parser nor the contract, writes no file and sends nothing. Returns an empty text after any error: a message
 * would disturb the command line that is being typed.
 */
export async function complete(
  [shell = '', ...request]: readonly string[],
  places: Places,
  readModel = (): CompletionModel => JSON.parse(readPackageFile('dist', 'completion.json')),
): Promise<string> {
  try {
    const offer = await offerFor(readModel(), readRequest(shell, request), places);
    return writeAnswer(shell, request, offer)
      .map((line) => `${line}\n`)
      .join('');
  } catch {
    return '';
  }
}
