/** Accounts at providers: the fields of the provider that are credentials go into a Secret, the others into the resource. */
import type { Issue } from '@gatehouse/crds';
import { toCamel } from '@gatehouse/crds/config';
import type { ResourceOf } from '@gatehouse/crds/kinds';
import { API_KEY, PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { invalid } from '../http/rest-error.ts';
import type { SecretDraft } from '../store/index.ts';
import { isSameAccount } from './account.ts';
import { type AccountFields, accountFieldsOf } from './account-fields.ts';
import { MASK } from './masks.ts';

type Value = string | null | undefined;
type Connection = Pick<
  ResourceOf<'VirtualKey'>['spec'],
  'secretRef' | 'secretMappings' | 'settings' | 'customHost' | 'headers' | 'headersFrom'
>;

interface GivenConnection {
  readonly provider: string;
  readonly key: Value;
  /** Fields of the provider and `custom_host`, by their names in the body: in either spelling. */
  readonly fields: Readonly<Record<string, Value>>;
  /** Of the fields in the body. */
  readonly path: Issue['path'];
}

interface Known {
  /** The name of the resource. */
  readonly name: string;
  /** As it is; empty for a new one but for its provider. */
  readonly spec: Connection & { readonly provider: string };
  /** The name of another Secret for it. */
  newSecretName(): string;
  /** The credential goes to a new place for another reason than its own members. */
  readonly isMoved?: boolean;
}

interface ConnectionOfDraft {
  /** The members of the spec that change; undefined takes one away. */
  readonly spec: Readonly<Record<string, unknown>>;
  readonly secret: SecretDraft | undefined;
  /** Secrets that nothing names any more. */
  readonly retired?: readonly string[];
}

const plain = (id: string): string => id.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The id of a provider in any spelling; as it is where none is known. */
export function providerIdOf(given: string): string {
  if (PROVIDER_CATALOGUE.has(given)) return given;
  return [...PROVIDER_CATALOGUE.keys()].find((id) => plain(id) === plain(given)) ?? given;
}

/** What is given is put over what is there. Throws RestError INVALID for fields that the provider does not have. */
export function toConnection(given: GivenConnection, account: Known): ConnectionOfDraft {
  const { provider, path } = given;
  const known = accountFieldsOf(provider);
  const { secrets, settings, customHost } = sorted(given, known);
  const members = {
    ...(Object.keys(settings).length === 0 ? {} : { settings: over(account.spec.settings, settings) }),
    ...(customHost === undefined ? {} : { customHost: customHost ?? undefined }),
  };
  const isMoved = account.isMoved === true || !isSameAccount(account.spec, { ...account.spec, provider, ...members });
  const credential = isMoved ? toMoved(secrets, path, account) : toCredential(secrets, account);
  return { ...credential, spec: { ...members, ...credential.spec } };
}

interface Sorted {
  readonly secrets: ReadonlyMap<string, Value>;
  readonly settings: Readonly<Record<string, Value>>;
  readonly customHost: Value;
}

/** Throws RestError INVALID for fields that the provider does not have. */
function sorted(
  { key, fields, path }: GivenConnection,
  { secret, keyField, nameOf, problemOf }: AccountFields,
): Sorted {
  const secrets = new Map<string, Value>([[keyField, key]]);
  const settings: Record<string, Value> = {};
  const issues: Issue[] = [];
  let customHost: Value;
  for (const [name, value] of Object.entries(fields)) {
    const field = nameOf(name);
    if (field === 'custom_host') customHost = value;
    else if (secret.has(field)) secrets.set(field, value);
    else {
      settings[field] = value;
      const message = problemOf(field);
      if (message !== undefined) issues.push({ code: 'invalid', path: [...path, name], message });
    }
  }
  if (issues.length > 0) throw invalid(issues, 'body');
  return { secrets, settings, customHost };
}

function over(
  before: Connection['settings'],
  given: Readonly<Record<string, Value>>,
): Readonly<Record<string, string>> | undefined {
  const all = Object.entries({ ...before, ...given }).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** A credential goes nowhere else than it did: another place needs it anew, or none, and in a Secret of its own. */
function toMoved(secrets: ReadonlyMap<string, Value>, path: Issue['path'], account: Known): ConnectionOfDraft {
  const { secretRef, secretMappings = [], headers, headersFrom } = account.spec;
  if (secretMappings.length > 0)
    throw invalid([{ code: 'invalid', path: ['secret_mappings'], message: SEND_ANEW }], 'body');
  if (headers !== undefined || headersFrom !== undefined) {
    const message =
      'the account has headers of its own, which would go to another place; change it where they are written';
    throw invalid([{ code: 'invalid', path: [...path, 'customHost'], message }], 'body');
  }
  if (secretRef === undefined) return toCredential(secrets, account);
  const given = [...secrets].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const [kept] = given.find(([, value]) => value === MASK) ?? [];
  if (kept !== undefined || (given.length === 0 && ![...secrets.values()].includes(null))) {
    const field = kept === undefined || kept === API_KEY ? ['key'] : [...path, kept];
    throw invalid([{ code: 'invalid', path: field, message: SEND_ANEW }], 'body');
  }
  const retired = secretRef.namespace === undefined ? [secretRef.name] : [];
  if (given.length === 0) return { spec: { secretRef: undefined }, secret: undefined, retired };
  const name = account.newSecretName();
  const isKeyAlone = given.length === 1 && given[0]?.[0] === API_KEY;
  const ref = isKeyAlone ? { name, key: API_KEY } : { name };
  return { spec: { secretRef: ref }, secret: { name, entries: Object.fromEntries(given) }, retired };
}

const SEND_ANEW = 'the credential would go to another place, or reach more there: send it along';

/** The Secret that the account names takes the entries; else one of its own. Masks keep what is there. */
function toCredential(secrets: ReadonlyMap<string, Value>, { name, spec: { secretRef } }: Known): ConnectionOfDraft {
  const given = [...secrets].filter(([, value]) => value !== undefined && value !== MASK);
  const own = secretRef?.namespace === undefined ? secretRef : undefined;
  const [first] = given;
  if (first === undefined) return { spec: {}, secret: undefined };
  if (given.length === 1 && first[0] === API_KEY) return toApiKey(first[1], own, name);
  if (own?.key !== undefined && own.key !== API_KEY) {
    const message = `the account reads one entry of the Secret ${own.name}; let secretRef name the Secret alone`;
    throw invalid([{ code: 'invalid', path: ['key'], message }], 'body');
  }
  const entries = Object.fromEntries(given.map(([field, value]) => [field, value ?? undefined]));
  const ref = { name: own?.name ?? name };
  return { spec: { secretRef: ref }, secret: { name: ref.name, entries } };
}

/** The API key alone is one entry, which can go without the others. */
function toApiKey(key: Value, own: Connection['secretRef'], name: string): ConnectionOfDraft {
  if (typeof key === 'string') {
    const ref = own ?? { name, key: API_KEY };
    return { spec: { secretRef: ref }, secret: { name: ref.name, entries: { [ref.key ?? API_KEY]: key } } };
  }
  if (own === undefined) return { spec: {}, secret: undefined };
  const secret = { name: own.name, entries: { [own.key ?? API_KEY]: undefined } };
  return { spec: own.key === undefined ? {} : { secretRef: undefined }, secret };
}

/** The fields of a provider as answers have them. */
export const showSettings = ({ settings = {}, customHost }: Connection, spelling: 'camel' | 'snake') =>
  Object.fromEntries(
    Object.entries({ ...settings, ...(customHost === undefined ? {} : { custom_host: customHost }) }).map(
      ([name, value]) => [spelling === 'camel' ? toCamel(name) : name, value],
    ),
  );
