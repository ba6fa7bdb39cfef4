import type { ApiKeyType } from '@gatehouse/crds/kinds';

/** The holder of a key. */
export interface Caller {
  /** Id of the key's entry. */
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
  /** Unix time in ms; Infinity: never. */
  readonly expiresAtMs: number;
}

/** The keys of the installation. */
export interface KeyDirectory {
  /** By the SHA-256 of the key in lower-case hex. */
  find(sha256: string): Caller | undefined;
}
