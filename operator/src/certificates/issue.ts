/** Issues certificates: an authority, and what it signs for a server (RFC 5280, ECDSA P-256 with SHA-256). */
import {
  createHash,
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import {
  DER_TRUE,
  derBits,
  derInteger,
  derOctets,
  derOid,
  derPrimitive,
  derSequence,
  derSet,
  derTagged,
  derTime,
  derUtf8,
} from './der.ts';

export interface KeyPair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface Validity {
  readonly fromMs: number;
  readonly untilMs: number;
}

const OID = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

/** RFC 5280 appendix A, ub-common-name; names that are verified are in an extension. */
const MAX_COMMON_NAME = 64;

const SIGNATURE = derSequence(derOid(OID.ecdsaWithSha256));
const USAGE_SIGNATURE = derBits(Buffer.from([0x80]), 7);
const USAGE_CERTIFICATES = derBits(Buffer.from([0x06]), 1);

/** A new authority; its name has part of its key, so that two of them are never confused. */
export async function createAuthority(commonName: string, validity: Validity): Promise<KeyPair> {
  const keys = await newKeys();
  const id = keyId(keys.publicKey);
  const name = toName(`${commonName} ${id.toString('hex').slice(0, 8)}`);
  return certify(keys, {
    issuer: { name, id, key: keys.privateKey },
    subject: name,
    validity,
    extensions: [
      extension(OID.basicConstraints, derSequence(DER_TRUE, derInteger(Buffer.from([0]))), { critical: true }),
      extension(OID.keyUsage, USAGE_CERTIFICATES, { critical: true }),
    ],
  });
}

/** A server's certificate for host names and IP addresses. */
export async function issueLeaf(authority: KeyPair, names: readonly string[], validity: Validity): Promise<KeyPair> {
  const keys = await newKeys();
  const key = createPrivateKey(authority.keyPem);
  const { subject, publicKey } = new X509Certificate(authority.certPem);
  const issuer = { name: toName(subject.replace(/^CN=/, '')), id: keyId(publicKey), key };
  return certify(keys, {
    issuer,
    subject: toName((names[0] ?? '').slice(0, MAX_COMMON_NAME)),
    validity,
    extensions: [
      extension(OID.basicConstraints, derSequence(), { critical: true }),
      extension(OID.keyUsage, USAGE_SIGNATURE, { critical: true }),
      extension(OID.extendedKeyUsage, derSequence(derOid(OID.serverAuth))),
      extension(OID.subjectAltName, derSequence(...names.map(toAltName))),
      extension(OID.authorityKeyId, derSequence(derPrimitive(0, issuer.id))),
    ],
  });
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface CertificateContent {
  readonly issuer: { readonly name: Buffer; readonly id: Buffer; readonly key: KeyObject };
  readonly subject: Buffer;
  readonly validity: Validity;
  readonly extensions: readonly Buffer[];
}

const newKeys = (): Promise<Keys> => promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });

function certify({ publicKey, privateKey }: Keys, content: CertificateContent): KeyPair {
  const { issuer, subject, validity, extensions } = content;
  const body = derSequence(
    derTagged(0, derInteger(Buffer.from([2]))), // version 3
    derInteger(Buffer.concat([Buffer.from([0x40]), randomBytes(15)])), // positive, and 120 random bits
    SIGNATURE,
    issuer.name,
    derSequence(derTime(validity.fromMs), derTime(validity.untilMs)),
    subject,
    spki(publicKey),
    derTagged(3, derSequence(...extensions, extension(OID.subjectKeyId, derOctets(keyId(publicKey))))),
  );
  const der = derSequence(body, SIGNATURE, derBits(sign('sha256', body, issuer.key)));
  return {
    certPem: toPem('CERTIFICATE', der),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const spki = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

/** Of the uncompressed point at the end of the structure (RFC 5280 4.2.1.2, first method). */
const keyId = (key: KeyObject): Buffer => createHash('sha1').update(spki(key).subarray(-65)).digest();

const toName = (commonName: string): Buffer =>
  derSequence(derSet(derSequence(derOid(OID.commonName), derUtf8(commonName))));

const extension = (id: string, value: Buffer, { critical = false } = {}): Buffer =>
  derSequence(derOid(id), ...(critical ? [DER_TRUE] : []), derOctets(value));

const toAltName = (name: string): Buffer =>
  isIP(name) === 4 ? derPrimitive(7, Buffer.from(name.split('.').map(Number))) : derPrimitive(2, Buffer.from(name));

const toPem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trimEnd()}\n-----END ${label}-----\n`;
