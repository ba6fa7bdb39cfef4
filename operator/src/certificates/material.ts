/** Certificates as they are stored in a Secret, and the step from stored to wanted certificates. */
import type { KubeObject } from '../runtime/index.ts';
import { createAuthority, issueLeaf, type KeyPair } from './issue.ts';
import { type Material, type PlanInput, planCertificates } from './plan.ts';

export interface CertificateSecret extends KubeObject {
  readonly type?: string | undefined;
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** Members of the Secret, named as cert-manager names them; both members of the authority hold one block per authority. */
const CA_CERTS = 'ca.crt';
const CA_KEYS = 'ca.key';
const CERT = 'tls.crt';
const KEY = 'tls.key';

const AUTHORITY_NAME = 'Gatehouse webhook authority';
/** Clocks of other machines may be slow. */
const BACKDATED_MS = 60_000;

const PEM_BLOCKS = /-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\n?/g;

/** The certificates of a Secret; missing and broken members count as absent. */
export function toMaterial({ data = {} }: Pick<CertificateSecret, 'data'>): Material {
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
  const certs = text(CA_CERTS).match(PEM_BLOCKS) ?? [];
  const keys = text(CA_KEYS).match(PEM_BLOCKS) ?? [];
  const leaf = { certPem: text(CERT), keyPem: text(KEY) };
  return {
    authorities: certs.map((certPem, i) => ({ certPem, keyPem: keys[i] ?? '' })),
    leaf: leaf.certPem === '' || leaf.keyPem === '' ? undefined : leaf,
  };
}

/** The members of the Secret, in base64. */
export function toData({ authorities, leaf }: Material): Readonly<Record<string, string>> {
  const members = {
    [CA_CERTS]: bundleOf(authorities),
    [CA_KEYS]: authorities.map(({ keyPem }) => keyPem).join(''),
    [CERT]: leaf?.certPem ?? '',
    [KEY]: leaf?.keyPem ?? '',
  };
  return Object.fromEntries(
    Object.entries(members).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  );
}

/** All trusted authorities as PEM, newest last. */
export const bundleOf = (authorities: readonly KeyPair[]): string => authorities.map(({ certPem }) => certPem).join('');

export interface Renewal {
  readonly material: Material;
  readonly changed: boolean;
  /** When to look again, in ms since 1970. */
  readonly dueMs: number;
}

/** Renews what is due; returns the same material when nothing is. */
export async function renew(input: PlanInput): Promise<Renewal> {
  const { names, lifetimes, nowMs } = input;
  const decided = planCertificates(input);
  if (!decided.needsAuthority && !decided.needsLeaf)
    return { material: input.material, changed: false, dueMs: decided.dueMs };
  const from = { fromMs: nowMs - BACKDATED_MS };
  const added = decided.needsAuthority
    ? [await createAuthority(AUTHORITY_NAME, { ...from, untilMs: nowMs + lifetimes.authorityMs })]
    : [];
  const authorities = [...decided.authorities, ...added];
  const signer = decided.signer ?? added[0];
  const leaf =
    decided.needsLeaf && signer !== undefined
      ? await issueLeaf(signer, names, { ...from, untilMs: nowMs + lifetimes.leafMs })
      : input.material.leaf;
  const material = { authorities, leaf };
  return { material, changed: true, dueMs: planCertificates({ ...input, material }).dueMs };
}
