/** Who a counter belongs to, read from its subject: a limiter in another process returns copies of demands. */

export type OwnerKind = 'key' | 'workspace' | 'provider' | 'integration' | 'policy';

export interface Owner {
  readonly kind: OwnerKind;
  /** Of the object, as its owner knows it. */
  readonly name: string;
  /** Its limits came with a token, or from the issuer of one: there is no key. */
  readonly isToken: boolean;
  /** Of a policy: which of its counters. */
  readonly bucket: string | undefined;
}

/** Separates a policy from the bucket. */
export const BUCKET = '|';

const KINDS: ReadonlyMap<string, OwnerKind> = new Map([
  ['key', 'key'],
  ['sidecar', 'key'],
  ['token', 'key'],
  ['workspace', 'workspace'],
  ['provider', 'provider'],
  ['access', 'integration'],
  ['policy', 'policy'],
]);

/** Of an id `token/workspace/issuer/subject`; a subject may have slashes of its own. */
export const isOfToken = (id: string): boolean => id.startsWith('token/');
const SUBJECT = 3;

/** `subject`: the id of an entry, `kind/workspace/name`, with the bucket behind that of a policy. */
export function ownerOf(subject: string): Owner {
  const at = subject.startsWith('policy/') ? subject.indexOf(BUCKET) : -1;
  const id = at < 0 ? subject : subject.slice(0, at);
  const kind = KINDS.get(id.slice(0, id.indexOf('/'))) ?? 'key';
  const isToken = isOfToken(id);
  const name = isToken ? id.split('/').slice(SUBJECT).join('/') : id.slice(id.lastIndexOf('/') + 1);
  return {
    kind,
    name: kind === 'policy' ? name.slice(name.indexOf(':') + 1) : name, // it begins with the Kind of the policy
    isToken,
    bucket: at < 0 ? undefined : subject.slice(at + 1),
  };
}
