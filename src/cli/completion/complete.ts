import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../core/package-folder.ts';
import type { Places } from './ids.ts';
import type { CompletionModel } from './model.ts';
import { offerFor } from './offer.ts';
import { protocols } from './protocols.ts';

/**
 * What `storectl __complete SHELL …` prints for the script of that shell in completions/; see protocols.ts for the rest
 * of the arguments. Loads neither the parser nor the contract, writes nothing and never reaches for the network.
 * Nothing for a shell that is not known, and nothing after any failure: a command line that is being typed is no place
 * for a message.
 */
export function complete(
  [shell = '', ...request]: readonly string[],
  places: Places,
  readModel = readBuiltModel,
): string {
  try {
    const protocol = Object.hasOwn(protocols, shell) ? protocols[shell as keyof typeof protocols] : null;
    if (protocol === null) return '';
    const offer = offerFor(readModel(), protocol.read(request), places);
    return protocol
      .write(offer, request)
      .map((line) => `${line}\n`)
      .join('');
  } catch {
    return '';
  }
}

function readBuiltModel(): CompletionModel {
  return JSON.parse(readFileSync(join(packageFolder(), 'dist', 'completion.json'), 'utf8'));
}
