import { HistoryError } from '../errors.ts';
import type { Intent } from './history-record.ts';

/** Shorter strings would turn up in a body by chance; no real key is that short. */
const minSecretLength = 8;

/** Throws a HistoryError `secret_in_record` when a request contains one of the secrets. */
export function refuseSecrets(intents: readonly Intent[], secrets: readonly string[]): void {
  const wanted = secrets
    .filter((secret) => secret.length >= minSecretLength)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  for (const { path, body, ifMatch, former, prepares } of intents) {
    const texts = [path, body, ifMatch, former, prepares].join('\n');
    if (!wanted.some((secret) => texts.includes(secret))) continue;
    throw new HistoryError('secret_in_record', 'the request contains the API key');
  }
}
