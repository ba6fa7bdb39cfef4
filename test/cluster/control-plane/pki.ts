import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../scripts/machine/index.ts';

/** Paths of a certificate and its key. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  /** File name without extension. */
  readonly name: string;
  /** `/O=…/CN=…` */
  readonly subject: string;
  readonly usage: 'serverAuth' | 'clientAuth';
  readonly ips?: readonly string[];
  readonly hosts?: readonly string[];
}

const VALID_DAYS = '30';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-sha256'];
// Without a file of its own openssl adds the extensions of the machine's configuration.
const CONFIG = '[req]\ndistinguished_name=dn\nx509_extensions=ca\n[dn]\n[ca]\nbasicConstraints=critical,CA:TRUE\n';

const openssl = (...args: string[]): Promise<string> => run(['openssl', ...args]);

/** A throw-away certificate authority: `<name>.crt` and `<name>.key`. */
export async function createAuthority(folder: string, name: string): Promise<KeyPair> {
  const pair = pairOf(folder, name);
  const config = join(folder, `${name}.cnf`);
  await writeFile(config, CONFIG);
  const files = ['-keyout', pair.key, '-out', pair.certificate];
  await openssl('req', '-x509', ...NEW_KEY, ...files, '-subj', `/CN=${name}`, '-days', VALID_DAYS, '-config', config);
  return pair;
}

/** A certificate signed by the authority. */
export async function issue(authority: KeyPair, folder: string, request: CertificateRequest): Promise<KeyPair> {
  const pair = pairOf(folder, request.name);
  const [config, extensions, pending] = ['cnf', 'ext', 'csr'].map((end) => join(folder, `${request.name}.${end}`)) as [
    string,
    string,
    string, // three in, three out
  ];
  const names = [
    ...(request.ips ?? []).map((ip) => `IP:${ip}`),
    ...(request.hosts ?? []).map((host) => `DNS:${host}`),
  ].join(',');
  await writeFile(config, CONFIG);
  await writeFile(
    extensions,
    `extendedKeyUsage=${request.usage}\n${names === '' ? '' : `subjectAltName=${names}\n`}basicConstraints=CA:FALSE\n`,
  );
  const asked = ['-keyout', pair.key, '-out', pending, '-subj', request.subject, '-config', config];
  await openssl('req', '-new', ...NEW_KEY, ...asked);
  const signer = ['-CA', authority.certificate, '-CAkey', authority.key, '-set_serial', String(randomInt(2 ** 47))];
  const signed = ['-in', pending, '-out', pair.certificate, '-extfile', extensions, '-days', VALID_DAYS, '-sha256'];
  await openssl('x509', '-req', ...signer, ...signed);
  return pair;
}

const pairOf = (folder: string, name: string): KeyPair => ({
  certificate: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`),
});
