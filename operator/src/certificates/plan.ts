/** What has to be renewed and when: decided from the certificates themselves, so that all replicas decide the same. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { KeyPair } from './issue.ts';

export interface Material {
  /** Trusted, oldest first; more than one while a new authority replaces an old one. */
  readonly authorities: readonly KeyPair[];
  readonly leaf: KeyPair | undefined;
}

export interface Lifetimes {
  readonly authorityMs: number;
  readonly leafMs: number;
  /** How long a new authority is trusted before it signs: all clients must trust it by then. */
  readonly settleMs: number;
}

export interface PlanInput {
  readonly material: Material;
  /** Host names and IP addresses of the server. */
  readonly names: readonly string[];
  readonly lifetimes: Lifetimes;
  readonly nowMs: number;
}

export interface CertificatePlan {
  /** Authorities that stay trusted. */
  readonly authorities: readonly KeyPair[];
  readonly needsAuthority: boolean;
  /** The authority that signs; undefined when there is none yet. */
  readonly signer: KeyPair | undefined;
  readonly needsLeaf: boolean;
  /** When to look again, in ms since 1970. */
  readonly dueMs: number;
}

/** Renewed when one third of the lifetime is left. */
const renewalMs = (certificate: X509Certificate, lifetimeMs: number): number =>
  certificate.validToDate.getTime() - lifetimeMs / 3;

/** A certificate that cannot be parsed counts as absent. */
export function planCertificates({ material, names, lifetimes, nowMs }: PlanInput): CertificatePlan {
  const known = material.authorities.flatMap((pair) => {
    const certificate = read(pair);
    return certificate !== undefined && certificate.validToDate.getTime() > nowMs ? [{ pair, certificate }] : [];
  });
  const newest = known.at(-1);
  const authorityDueMs = newest === undefined ? nowMs : renewalMs(newest.certificate, lifetimes.authorityMs);
  const settled = known.filter(({ certificate }) => certificate.validFromDate.getTime() + lifetimes.settleMs <= nowMs);
  const signer = settled.at(-1) ?? known[0];
  const leaf = material.leaf === undefined ? undefined : read(material.leaf);
  const isTrusted = leaf !== undefined && known.some(({ certificate }) => leaf.verify(certificate.publicKey));
  const usable = leaf !== undefined && isTrusted && names.every((name) => covers(leaf, name));
  const leafDueMs = usable ? renewalMs(leaf, lifetimes.leafMs) : nowMs;
  return {
    authorities: known.map(({ pair }) => pair),
    needsAuthority: authorityDueMs <= nowMs,
    signer: signer?.pair,
    needsLeaf: leafDueMs <= nowMs,
    dueMs: Math.min(authorityDueMs, leafDueMs),
  };
}

function read({ certPem, keyPem }: KeyPair): X509Certificate | undefined {
  try {
    return keyPem === '' ? undefined : new X509Certificate(certPem);
  } catch {
    return undefined;
  }
}

const covers = (leaf: X509Certificate, name: string): boolean =>
  (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined;
