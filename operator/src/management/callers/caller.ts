import type { ApiKeyType } from '@gatehouse/crds/kinds';

/** The holder of a key. */
export interface Caller {
  /** Id of the key's entry, or of the person who is signed in. */
  readonly keyId: string;
  readonly keyName: string;
  readonly type: ApiKeyType;
  /** Undefined: a key of the organisation. */
  readonly workspace: string | undefined;
  readonly user: string | undefined;
  /** The directory, with its token. */
  readonly isDirectory?: true;
  /** `resource.action`. */
  readonly scopes: ReadonlySet<string>;
  /** It is a person who is signed in, without a key. */
  readonly isSession?: true;
  /** Unix time in ms; Infinity: never. */
  readonly expiresAtMs: number;
}

/** The keys of the installation. */
export interface KeyDirectory {
  /** By the SHA-256 of the key in lower-case hex. */
  find(sha256: string): Caller | undefined;
}
