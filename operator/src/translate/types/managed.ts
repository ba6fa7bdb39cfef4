/** What is fetched from secret managers for SecretReferences: docs/behaviour/secret-references.md. */
import type { SecretReference } from '@gatehouse/crds/kinds';

/** What a manager has under a path. */
export type ManagedValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'members'; readonly members: Readonly<Record<string, unknown>> };

/** Why a fetch failed, without anything from the answer. */
export const FETCH_PROBLEMS = {
  NoIdentity: 'the operator has no identity of its own for this manager',
  HostRefused: 'the address of the manager may not be called from here',
  Unreachable: 'the manager cannot be reached',
  TimedOut: 'the manager does not answer in time',
  TooLarge: 'the answer of the manager is too large',
  Malformed: 'the answer of the manager cannot be read',
  BadCredential: 'the credentials cannot be used as they are',
  Denied: 'the manager denies access',
  NotFound: 'the manager has no such secret',
  Throttled: 'the manager asks for fewer calls',
  Failed: 'the manager fails',
} as const satisfies Record<string, string>;

export type FetchProblem = keyof typeof FETCH_PROBLEMS;

/** The same object as long as its content is the same. */
export interface ManagedReading {
  /** The `target` of the fetch that it is about. */
  readonly target: string;
  /** The last value. */
  readonly value: ManagedValue | undefined;
  /** Why the last fetch failed. */
  readonly problem: FetchProblem | undefined;
}

/**
 * Where calls may lead. `public`: public addresses. `cluster`: private ones, too. `machine`: the own machine, too. Metadata
 * services: never.
 */
export type ManagerReach = 'public' | 'cluster' | 'machine';

/** One secret that is to be fetched, again and again. The same object as long as its content is the same. */
export interface SecretFetch {
  /** The SecretReference, by `objectKey`. */
  readonly key: string;
  /** Of those with one share, only a few are fetched at once. */
  readonly share: string;
  /** Digest of what is fetched from where: a value of another target must not be used. */
  readonly target: string;
  readonly spec: Pick<SecretReference['spec'], 'manager' | 'path' | 'vault' | 'aws' | 'azure' | 'gcp'>;
  /** Entries of the Secret with the credentials; empty with an own identity. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly reach: ManagerReach;
  readonly refreshSeconds: number;
}
