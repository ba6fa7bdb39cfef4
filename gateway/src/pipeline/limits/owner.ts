/** Who a counter belongs to, read from its subject: a limiter in another process returns copies of demands. */

export type OwnerKind = 'key' | 'workspace' | 'provider' | 'integration' | 'policy';

export interface Owner {
  readonly kind: OwnerKind;
  /** Of the object, as its owner knows it. */
  readonly name: string;
  /** What acts in place of a key, by a token; undefined: a key, or no caller. */
  readonly holder: string | undefined;
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

/** Callers with a token: what they are called, and where their name begins in the id; names may have slashes of their own. */
const HOLDERS: ReadonlyMap<string, { readonly word: string; readonly at: number }> = new Map([
  ['token', { word: 'subject of tokens', at: 3 }], // token/workspace/issuer/subject
  ['workload', { word: 'ServiceAccount', at: 2 }], // workload/workspace/namespace/name
]);

/** What the caller of an id is called where that is no key. */
export const holderOf = (id: string): string | undefined => HOLDERS.get(id.slice(0, id.indexOf('/')))?.word;

/** `subject`: the id of an entry, `kind/workspace/name`, with the bucket behind that of a policy. */
export function ownerOf(subject: string): Owner {
  const at = subject.startsWith('policy/') ? subject.indexOf(BUCKET) : -1;
  const id = at < 0 ? subject : subject.slice(0, at);
  const first = id.slice(0, id.indexOf('/'));
  const kind = KINDS.get(first) ?? 'key';
  const holder = HOLDERS.get(first);
  const name = holder === undefined ? id.slice(id.lastIndexOf('/') + 1) : id.split('/').slice(holder.at).join('/');
  return {
    kind,
    name: kind === 'policy' ? name.slice(name.indexOf(':') + 1) : name, // it begins with the Kind of the policy
    holder: holder?.word,
    bucket: at < 0 ? undefined : subject.slice(at + 1),
  };
}
