/** Writes of resources, and what a review says about them. */
import type { Issue } from '@gatehouse/crds';

/** A write, as the API server asks about it. */
export interface ReviewedWrite {
  readonly kind: { readonly group: string; readonly kind: string };
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly subResource?: string | undefined;
  readonly userInfo: { readonly username: string };
  /** As it will be. */
  readonly object?: Readonly<Record<string, unknown>> | null | undefined;
  /** As it is. */
  readonly oldObject?: Readonly<Record<string, unknown>> | null | undefined;
}

/** One problem of an object. */
export interface Cause {
  readonly reason: 'FieldValueInvalid' | 'FieldValueNotSupported' | 'FieldValueDuplicate' | 'ObjectInUse';
  readonly message: string;
  /** Empty for the object as a whole. */
  readonly path: Issue['path'];
}

/** How the message of a cause `ObjectInUse` begins; the user follows. */
export const USED_BY = 'is used by ';

/** The users that the causes of a refused deletion name, also as the API server has passed them on. */
export const usersIn = (causes: readonly { readonly reason: string; readonly message: string }[]): readonly string[] =>
  causes.filter(({ reason }) => reason === 'ObjectInUse').map(({ message }) => message.slice(USED_BY.length));

/** A refusal as the API server passes it on: `Invalid` is 422, `Forbidden` 403, `Conflict` 409. */
export interface Refusal {
  readonly allowed: false;
  readonly reason: 'Invalid' | 'Forbidden' | 'Conflict';
  readonly message: string;
  readonly causes?: readonly Cause[];
  /** Of a deletion: what names the object. */
  readonly users?: readonly string[];
  readonly warnings?: readonly string[];
}

/** Annotation of an object that is tried: what it names and may not name refuses it, instead of a warning. */
export const PERMITTED_ONLY = 'gatehouse.dev/permitted-only';

export type ReviewVerdict = { readonly allowed: true; readonly warnings?: readonly string[] } | Refusal;
