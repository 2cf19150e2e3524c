import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './cli.ts';

export interface PrivateCa {
  /** The authority's certificate, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** A certificate of the authority for a host name, and its key, as PEM. */
  issue(name: string): Promise<{ readonly cert: string; readonly key: string }>;
}

const openssl = (...args: string[]) => promisify(execFile)('openssl', args);
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** An authority that nobody knows, made with the openssl of the machine, and gone after the test. */
export async function createPrivateCa(): Promise<PrivateCa> {
  const folder = temporaryFolder();
  const at = (name: string) => path.join(folder, name);
  await openssl(
    ...['req', '-x509', ...newKey, '-days', '30', '-subj', '/CN=Private test authority'],
    ...['-keyout', at('ca.key'), '-out', at('ca.pem')],
  );
  return {
    file: at('ca.pem'),
    async issue(name) {
      await writeFile(at('names'), `subjectAltName=DNS:${name}`);
      await openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', at('key'), '-out', at('request'));
      await openssl(
        ...['x509', '-req', '-days', '30', '-in', at('request'), '-extfile', at('names'), '-out', at('cert')],
        ...['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'],
      );
      return { cert: await readFile(at('cert'), 'utf8'), key: await readFile(at('key'), 'utf8') };
    },
  };
}
