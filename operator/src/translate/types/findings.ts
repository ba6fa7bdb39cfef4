/** Findings: what a translation has to say about one object. */
import type { Issue } from '@gatehouse/crds';
import type { Reason } from '@gatehouse/crds/conditions';
import type { BrokenBound } from './quota.ts';
import { objectKey, type SecretReading } from './world.ts';

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
  | 'SecretNotFetched'
  | 'Pending'
  | 'InternalError'
  | 'QuotaExceeded'
>;

/**
 * What happens to the entries of the object. `serve`: they are published, and the gateway answers for what is missing. `keep`:
 * they cannot be made, and the last good ones stay. `withdraw`: the object has none.
 */
export type Effect = 'serve' | 'keep' | 'withdraw';

export interface Finding {
  readonly reason: FindingReason;
  /** From the root of the resource. */
  readonly path: readonly (string | number)[];
  /** The same text whether something is absent or not granted, and nothing from a Secret. */
  readonly message: string;
  readonly effect: Effect;
  /** Keys of objects (see `verdictKey`; also of Secrets and Namespaces), any of which would resolve the reference. */
  readonly refersTo?: readonly string[];
}

type Path = Finding['path'];

/** The object itself is invalid. */
export const fromIssue = ({ code, path, message }: Issue): Finding => ({
  reason: code === 'unsupported' ? 'UnsupportedValue' : 'Invalid',
  path,
  message,
  effect: 'keep',
});

/** The translation of one object threw, which is a bug of the operator; the other objects are translated. */
export const INTERNAL_ERROR: Finding = {
  reason: 'InternalError',
  path: [],
  message: 'the operator failed on this object; its log has the details',
  effect: 'keep',
};

/** An object on which a translation failed, and the error, for logs. */
export interface Failure {
  /** See `verdictKey`. */
  readonly key: string;
  readonly error: unknown;
}

/** Older objects use up the quota. The text does not depend on how many there are. */
export const overQuota = (broken: readonly BrokenBound[]): Finding => ({
  reason: 'QuotaExceeded',
  path: [],
  message:
    `older resources take up the quota of the workspace (${broken.map(({ bound, limit }) => `${bound}: ${limit}`).join(', ')}): ` +
    'remove some, or have spec.quota of the Workspace raised',
  effect: 'keep',
});

/** A reference of the same owner that does not exist. */
export const missing = (path: Path, message: string, effect: Effect, refersTo: readonly string[] = []): Finding => ({
  reason: 'RefNotFound',
  path,
  message,
  effect,
  refersTo,
});

/** The namespace of the object belongs to no workspace. */
export const noWorkspace = (namespace = ''): Finding =>
  missing(['metadata', 'namespace'], `no Workspace has the namespace ${namespace}`, 'withdraw', [
    `Namespace/${namespace}`,
  ]);

/** The key of a Secret among those that a finding refers to. */
export const secretKeyOf = (namespace: string, name: string): string => `Secret/${objectKey(namespace, name)}`;

/**
 * A reference to another owner's object that does not exist or is not granted: the text does not say which, so that no tenant can
 * probe.
 */
export const notPermitted = (
  path: Path,
  message: string,
  effect: Effect,
  refersTo: readonly string[] = [],
): Finding => ({
  reason: 'RefNotPermitted',
  path,
  message,
  effect,
  refersTo,
});

/** The Organisation does not grant the cloud identity that the object asks for. */
export const identityNotGranted = (path: Path, message: string): Finding => ({
  reason: 'IdentityNotGranted',
  path,
  message,
  effect: 'withdraw',
});

/** A secret manager cannot be read; what it said last stays in use. */
export const secretNotFetched = (path: Path, message: string): Finding => ({
  reason: 'SecretNotFetched',
  path,
  message,
  effect: 'serve',
});

/** Something that is about to exist. */
export const pending = (path: Path, message: string, effect: Effect = 'keep'): Finding => ({
  reason: 'Pending',
  path,
  message,
  effect,
});

interface Unread {
  readonly namespace: string;
  readonly secret: string;
  /** What is known about reading it. */
  readonly view: {
    readingOf(namespace: string, name: string): SecretReading | undefined;
    grantCommand(namespace: string): string;
  };
}

/**
 * Why the content of a Secret is unknown; undefined if it is known. It was named a moment ago, the namespace names more Secrets
 * than its share, or the right to read it is not granted. Unread is not absent: what was served stays.
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

/** Something of the cluster may not be read, and the object is served without it; the message has the command. */
export const unreadable = (path: Path, message: string): Finding => ({
  reason: 'AccessDenied',
  path,
  message,
  effect: 'serve',
});

/** The object is in a namespace where it is not allowed. */
export const wrongNamespace = (path: Path, message: string): Finding => ({
  reason: 'Invalid',
  path,
  message,
  effect: 'withdraw',
});

/** Another object was first. */
export const conflicted = (path: Path, message: string): Finding => ({
  reason: 'Conflicted',
  path,
  message,
  effect: 'withdraw',
});
