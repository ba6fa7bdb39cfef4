/** What ties a Kind to the family of the management API that has its objects. */
import type { KindName, SpecOf } from '@gatehouse/crds/kinds';
import type { RestOperation } from '@gatehouse/crds/rest';

/** A path below the resource, e.g. `['spec', 'displayName']`. */
export type Path = readonly (string | number)[];

export type Body = Readonly<Record<string, unknown>>;

/** One object as an answer has it. */
export type View = Readonly<Record<string, unknown>>;

/** What stands in answers for a credential. */
export const MASK = '********';

/** A resource that the management API cannot express; the path is that of the member. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly path: Path;

  constructor(path: Path, message: string) {
    super(message);
    this.path = path;
  }
}

/** The credentials of a resource. */
export interface Credentials {
  /** The entry of a Secret; undefined: it is not known here. */
  entry(secret: string, key: string, path: Path): string | undefined;
  /** All known entries of a Secret. */
  entries(secret: string, keys: readonly string[], path: Path): Readonly<Record<string, string>>;
  /** A value of the resource itself that may be secret. */
  literal(value: unknown): unknown;
}

/** An entry of a Secret that a resource made of an answer names: its value is never in an answer. */
export interface Missing {
  readonly path: Path;
  /** Undefined: the value belongs into the resource itself. */
  readonly secret?: { readonly name: string; readonly key: string } | undefined;
}

export interface FamilyOperations {
  readonly create: RestOperation;
  readonly list: RestOperation;
  readonly get: RestOperation;
  readonly update: RestOperation;
  readonly delete: RestOperation;
}

export interface Family<K extends KindName = KindName> {
  readonly kind: K;
  readonly operations: FamilyOperations;
  /** Named segments of the path that makes an object. */
  createPath?(spec: SpecOf<K>): Readonly<Record<string, string>>;
  /** Members of bodies that are in that path. */
  readonly inPath?: readonly string[];
  /** Items of lists do not have all of the object. */
  readonly isListShort?: boolean;
  /** The body that makes an object of this name. Throws Refused. */
  toBody(spec: SpecOf<K>, context: { readonly name: string; readonly credentials: Credentials }): Body;
  /** The spec that an answer shows, not yet parsed; what it does not show is added to `missing`. */
  toSpec(view: View, missing: Missing[]): Readonly<Record<string, unknown>>;
  /** The path in the resource of a field of a body, as `param` of errors names it. */
  pathOf(param: string): Path;
  /** The answer as it would be if what the resource leaves to the server were in it. */
  settle?(served: Body, wanted: Body): Body;
  /** Throws Refused for a change that the management API cannot make. */
  checkChange?(served: Body, wanted: Body): void;
  /** Members of the spec that the management API does not have: an object made by others may have them. */
  readonly unknown: readonly string[];
}
