/** What a translation has found out about an object. */
import type { Issue } from '@gatehouse/crds';
import type { Reason } from '@gatehouse/crds/conditions';
import type { BrokenBound } from './quota.ts';
import type { SecretReading } from './world.ts';

export type FindingReason = Extract<
  Reason,
  | 'Invalid'
  | 'UnsupportedValue'
  | 'Conflicted'
  | 'RefNotFound'
  | 'RefNotPermitted'
  | 'IdentityNotGranted'
  | 'AccessDenied'
  | 'InvalidKind'
  | 'Pending'
  | 'InternalError'
  | 'QuotaExceeded'
>;

/**
 * What becomes of the entries. `serve`: they are made all the same, the gateway answers for what is missing. `keep`: they
 * cannot be made, the last good ones stay. `withdraw`: the object may not have any.
 */
export type Effect = 'serve' | 'keep' | 'withdraw';

export interface Finding {
  readonly reason: FindingReason;
  /** From the root of the resource. */
  readonly path: readonly (string | number)[];
  /** The same whether something is absent or not granted, and without any content of a Secret. */
  readonly message: string;
  readonly effect: Effect;
}

type Path = Finding['path'];

/** The object says something that cannot be. */
export const fromIssue = ({ code, path, message }: Issue): Finding => ({
  reason: code === 'unsupported' ? 'UnsupportedValue' : 'Invalid',
  path,
  message,
  effect: 'keep',
});

/** A fault of this program that the object brings about: it must not become one of all others. */
export const INTERNAL_ERROR: Finding = {
  reason: 'InternalError',
  path: [],
  message: 'the operator failed on this object; its log has the details',
  effect: 'keep',
};

/** An object on which the program failed, and with what: for logs. */
export interface Failure {
  /** See `verdictKey`. */
  readonly key: string;
  readonly error: unknown;
}

/** Older objects take up what the workspace may have. The text stays the same while they come and go. */
export const overQuota = (broken: readonly BrokenBound[]): Finding => ({
  reason: 'QuotaExceeded',
  path: [],
  message:
    `older resources take up the quota of the workspace (${broken.map(({ bound, limit }) => `${bound}: ${limit}`).join(', ')}): ` +
    'remove some, or have spec.quota of the Workspace raised',
  effect: 'keep',
});

/** Something in the same hands does not exist. */
export const missing = (path: Path, message: string, effect: Effect): Finding => ({
  reason: 'RefNotFound',
  path,
  message,
  effect,
});

/** The object stands where nobody's objects are served. */
export const noWorkspace = (namespace = ''): Finding =>
  missing(['metadata', 'namespace'], `no Workspace has the namespace ${namespace}`, 'withdraw');

/** Something in other hands does not exist or is not granted: which of the two is nobody's business (engineering 8.11). */
export const notPermitted = (path: Path, message: string, effect: Effect): Finding => ({
  reason: 'RefNotPermitted',
  path,
  message,
  effect,
});

/** The organisation does not lend what the object asks for. */
export const identityNotGranted = (path: Path, message: string): Finding => ({
  reason: 'IdentityNotGranted',
  path,
  message,
  effect: 'withdraw',
});

/** Somebody is about to make what is referred to. */
export const pending = (path: Path, message: string): Finding => ({ reason: 'Pending', path, message, effect: 'keep' });

interface Unread {
  readonly namespace: string;
  readonly secret: string;
  /** What is known of it at all. */
  readonly view: {
    readingOf(namespace: string, name: string): SecretReading | undefined;
    grantCommand(namespace: string): string;
  };
}

/**
 * Why nothing is known of a Secret, if that is so: it was named a moment ago, the namespace has used up its part of those that are
 * followed, or the platform has not granted the right. Unread is not absent: what was served stays.
 */
export function secretUnread(path: Path, { namespace, secret, view }: Unread): Finding | undefined {
  const reading = view.readingOf(namespace, secret);
  if (reading === 'known') return undefined;
  if (reading === 'denied') {
    const message = `the operator may not read Secrets of the namespace ${namespace}; grant it with: ${view.grantCommand(namespace)}`;
    return { reason: 'AccessDenied', path, message, effect: 'keep' };
  }
  return pending(
    path,
    reading === 'beyond'
      ? `the Secret ${secret} is not read: resources of the namespace name more Secrets than the operator can follow for it`
      : `the Secret ${secret} is not read yet`,
  );
}

/** The object stands where it must not. */
export const wrongNamespace = (path: Path, message: string): Finding => ({
  reason: 'Invalid',
  path,
  message,
  effect: 'withdraw',
});

/** Another object came first. */
export const conflicted = (path: Path, message: string): Finding => ({
  reason: 'Conflicted',
  path,
  message,
  effect: 'withdraw',
});
