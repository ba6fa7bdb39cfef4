/** The contract as clients of this kind of API know it: its operations, with the names of their fields. */
import { OPERATIONS } from '../../../operator/src/management/index.ts';
import { KNOWN_OPERATIONS } from '../../../operator/src/management/openapi/known-operations.ts';
import fields from '../../../operator/src/management/openapi/testdata/known-fields.json' with { type: 'json' };

type Known = keyof typeof fields;
/** `GET|POST|... /scim/Users[/{id}]`: they are of SCIM, which has fields of its own. */
type OfDirectory = Extract<Known, `${string}|${string}`>;

/** Method and path, e.g. `GET /configs/{slug}`. */
export type ContractCall = Exclude<Known, OfDirectory>;

type Plural = 'Users' | 'Groups';
/** What a directory calls, with its own token. */
export type DirectoryCall =
  | `${'GET' | 'POST'} /scim/${Plural}`
  | `${'GET' | 'PUT' | 'PATCH' | 'DELETE'} /scim/${Plural}/{id}`
  | 'GET /scim/ServiceProviderConfig'
  | `GET /scim/${'ResourceTypes' | 'Schemas'}${'' | '/{id}'}`;

interface Names {
  readonly query?: string;
  readonly body?: string;
}

const SERVED = KNOWN_OPERATIONS.filter(({ reason }) => reason === undefined).flatMap(
  ({ calls }) => calls as readonly Known[], // fields.test.ts compares both files
);
const isOfDirectory = (call: Known): call is OfDirectory => call.includes('|');

/** Those that are served to keys. */
export const CONTRACT_CALLS: readonly ContractCall[] = SERVED.filter((call) => !isOfDirectory(call));

/** Those that are served to directories: document.test.ts compares the served operations with the contract. */
export const DIRECTORY_CALLS: readonly DirectoryCall[] = OPERATIONS.flatMap(
  ({ operation: { protocol, method, path } }) => (protocol === 'scim' ? [`${method} ${path}` as DirectoryCall] : []),
);

export const isDirectoryCall = (call: string): call is DirectoryCall => /^[A-Z]+ \/scim\/[A-Z]/.test(call);

/** What our operations have and the contract has not: names of objects, and what says which object is meant. */
const OWN: Readonly<Record<'query' | 'body', ReadonlySet<string>>> = {
  query: new Set(['workspace_id', 'force', 'current_page', 'page_size']),
  body: new Set(['slug', 'workspace_id', 'namespace', 'customHost']),
};

/** Fields of a request that the contract does not have, with dots between members and `[]` behind lists. */
export function fieldsOutside(call: ContractCall, part: 'query' | 'body', value: unknown): readonly string[] {
  const { [part]: names = '' } = fields[call] as Names;
  const known = new Set(names.split(' '));
  const open = (field: string): boolean => known.has(field) && ![...known].some((name) => isBelow(name, field));
  return fieldsOf(value).filter(
    (field) => !known.has(field) && !OWN[part].has(field) && !ancestorsOf(field).some((above) => open(above)),
  );
}

const isBelow = (name: string, above: string): boolean => name.startsWith(`${above}.`) || name.startsWith(`${above}[]`);

/** A list of objects may be known as one of them, and the reverse: `usage_limits` is either. */
const ancestorsOf = (field: string): readonly string[] =>
  [...field.matchAll(/\.|\[\]/g)].map(({ index }) => field.slice(0, index));

function fieldsOf(value: unknown, prefix = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${prefix}[]`));
  if (typeof value !== 'object' || value === null) return prefix === '' ? [] : [prefix];
  return Object.entries(value).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return typeof member === 'object' && member !== null ? [path, ...fieldsOf(member, path)] : [path];
  });
}
