import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { temporaryFolder } from './cli.ts';

export interface PrivateCa {
  /** The authority's certificate, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** A certificate of the authority for a host name, and its key, as PEM. */
  issue(name: string): Promise<Identity>;
}

export interface Identity {
  readonly cert: string;
  readonly key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const pemOf = ({ privateKey }: webcrypto.CryptoKeyPair) =>
  KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
const alternativeName = (value: string) => new SubjectAlternativeNameExtension([{ type: 'dns', value }]);

/** A private certificate authority, removed after the test. */
export async function createPrivateCa(): Promise<PrivateCa> {
  const file = path.join(temporaryFolder(), 'ca.pem');
  const issuer = 'CN=Private test authority';
  const authority = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: issuer,
    keys: authority,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  await writeFile(file, certificate.toString('pem'));
  return {
    file,
    async issue(name) {
      const keys = await newKeys();
      const issued = await X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer,
        publicKey: keys.publicKey,
        signingKey: authority.privateKey,
        signingAlgorithm: algorithm,
        extensions: [alternativeName(name)],
      });
      return { cert: issued.toString('pem'), key: pemOf(keys) };
    },
  };
}

/** A certificate for a host name that no authority has signed, and its key, as PEM. */
export async function createSelfSigned(name: string): Promise<Identity> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [alternativeName(name)],
  });
  return { cert: certificate.toString('pem'), key: pemOf(keys) };
}
