/** Members of a spec and of a body, as rows of a table. */
import { isObject } from '@gatehouse/crds';
import { toCamel } from '@gatehouse/crds/config';
import { type Credentials, type Path, Refused, type View } from './family.ts';

export interface FieldContext {
  readonly name: string;
  readonly credentials: Credentials;
  /** Of the member. */
  readonly path: Path;
}

export interface Field {
  /** The member of bodies and answers. */
  readonly rest: string;
  /** Undefined: the body does not have it. */
  encode?(value: unknown, context: FieldContext): unknown;
  /** Undefined: the spec does not have it. */
  decode?(shown: unknown, view: View): unknown;
}

/** Fields by the member of the spec. */
export type Fields = Readonly<Record<string, Field>>;

/** The display name; bodies need one, and the name of the object is that of one without. */
export const DISPLAY_NAME: Fields = {
  displayName: { rest: 'name', decode: (shown, { slug }) => (shown === slug ? undefined : shown) },
};

export const plain = (rest: string): Field => ({ rest });

/** The members of a spec that the table has. Throws Refused for the others, but for those that have this value anyway. */
export function encodeFields(
  spec: object,
  fields: Fields,
  {
    name,
    credentials,
    implied = {},
  }: Omit<FieldContext, 'path'> & { readonly implied?: Readonly<Record<string, unknown>> },
): Record<string, unknown> {
  const body: Record<string, unknown> = { name };
  for (const [member, value] of Object.entries(spec)) {
    if (value === undefined) continue;
    const path = ['spec', member];
    const field = Object.hasOwn(fields, member) ? fields[member] : undefined;
    if (field === undefined) {
      if (Object.hasOwn(implied, member) && implied[member] === value) continue;
      throw new Refused(path, 'the management API has no such field; use kubectl for this object');
    }
    const encoded = field.encode === undefined ? value : field.encode(value, { name, credentials, path });
    if (encoded !== undefined) body[field.rest] = encoded;
  }
  return body;
}

/** The members of the table that an answer shows. */
export function decodeFields(view: View, fields: Fields): Record<string, unknown> {
  const spec: Record<string, unknown> = {};
  for (const [member, { rest, decode }] of Object.entries(fields)) {
    const shown = view[rest];
    if (shown === undefined || shown === null) continue;
    const value = decode === undefined ? shown : decode(shown, view);
    if (value !== undefined && value !== null) spec[member] = value;
  }
  return spec;
}

/** `usage_limits[0].credit_limit` by its steps. */
export function stepsOf(param: string): Path {
  return param
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** Members whose own members are named as users, checks and providers have them. */
const VERBATIM: ReadonlySet<string | number> = new Set([
  'default_params',
  'metadata',
  'override_params',
  'parameters',
  'query',
]);

function inCamel(steps: Path): Path {
  const end = steps.findIndex((step) => VERBATIM.has(step));
  const isOurs = (at: number) => end === -1 || at <= end;
  return steps.map((step, at) => (typeof step === 'string' && isOurs(at) ? toCamel(step) : step));
}

/** Finds the member of the resource that `param` of an error names; `names` are members that are in no table. */
export const pathIn =
  (fields: Fields, names: Readonly<Record<string, string>> = {}) =>
  (param: string): Path => {
    const [first, ...rest] = stepsOf(param);
    if (first === undefined) return [];
    if (first === 'slug') return ['metadata', 'name'];
    if (first === 'workspace_id') return ['metadata', 'namespace'];
    const member = Object.entries(fields).find(([, { rest: own }]) => own === first)?.[0];
    const own = member ?? (Object.hasOwn(names, first) ? names[first] : undefined) ?? toCamel(String(first));
    return ['spec', own, ...inCamel(rest)];
  };

/** Without members that are null, undefined or an empty object. */
export function withoutEmpty(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isEmpty = (one: unknown) =>
    one === undefined || one === null || (isObject(one) && Object.keys(one).length === 0);
  return Object.fromEntries(Object.entries(value).filter(([, one]) => !isEmpty(one)));
}
