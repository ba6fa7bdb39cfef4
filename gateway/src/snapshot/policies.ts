/** Policies as matchers over the facts of a request; docs/behaviour/limits.md#policies. */
import { hash } from 'node:crypto';
import type { EntryBody, SnapshotEntry } from '@gatehouse/crds/snapshot';

/** What policies compare and group by: known once a target is resolved. */
export interface PolicyFacts {
  readonly apiKey: { readonly id: string; readonly name: string };
  readonly workspace: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The managed provider; undefined: the request or config names its provider and brings the credential. */
  readonly account: { readonly id: string; readonly slug: string } | undefined;
  /** Id of the provider in the catalogue. */
  readonly provider: string;
  /** The saved config; `workspace` is empty for one of the organisation. */
  readonly config: { readonly workspace: string; readonly slug: string } | undefined;
  /** The saved prompt; `workspace` is empty for one of the organisation. Absent: none is used. */
  readonly prompt?: { readonly workspace: string; readonly slug: string } | undefined;
  /** The model that the target is asked for; empty: none is named. */
  readonly model: string;
  /** Id of the operation. */
  readonly endpointType: string;
}

export interface PolicyRecord {
  readonly id: string;
  readonly name: string;
  /** Null: it holds in every workspace. */
  readonly workspace: string | null;
  readonly rate: EntryBody<'policy'>['rate'];
  readonly usage: EntryBody<'policy'>['usage'];
  /** The counter of the request, as `key:value-key:value` of bounded length; undefined: the policy does not apply to it. */
  bucketOf(facts: PolicyFacts): string | undefined;
  /** Whether it would apply to the request with some other model of its provider; true where that cannot be told. */
  mayApply(facts: PolicyFacts): boolean;
}

/** Longest bucket that is kept as it is, in characters; longer ones are cut and told apart by a hash. */
const MAX_BUCKET = 200;
const KEPT = 120;
/** Of requests under a policy that groups by nothing. */
const ONE_BUCKET = 'default';
/** The installation is the organisation. */
const ORGANISATION_ID = 'default';
const METADATA = 'metadata.';
const MODEL = 'model';

/** Callers choose how they write it, and vendors may accept that: limits are not to depend on it. */
const nameOfModel = (model: string): string => model.trim().toLowerCase();

export function compilePolicy({ id, workspace, body }: SnapshotEntry<'policy'>): PolicyRecord {
  const { name, rate, usage } = body;
  const conditions = body.conditions.map(compileCondition);
  const groups = body.groupBy.map(({ key }) => ({ key, property: propertyOf(key) }));
  const bucketOf = (facts: PolicyFacts): string | undefined => {
    for (const holds of conditions) if (!holds(facts)) return undefined;
    const parts: string[] = [];
    for (const { key, property } of groups) {
      const value = property?.group(facts);
      if (value === undefined) return undefined;
      parts.push(`${key}:${value}`);
    }
    return parts.length === 0 ? ONE_BUCKET : bounded(parts.join('-'));
  };
  const mayApply = (facts: PolicyFacts): boolean =>
    body.conditions.every((condition, i) =>
      condition.key === MODEL ? admitsSome(condition, facts) : conditions[i]?.(facts) === true,
    ) && groups.every(({ key, property }) => key === MODEL || property?.group(facts) !== undefined);
  return { id, name, workspace, rate, usage, bucketOf, mayApply };
}

const bounded = (bucket: string): string =>
  bucket.length <= MAX_BUCKET ? bucket : `${bucket.slice(0, KEPT)}~${hash('sha256', bucket, 'hex').slice(0, 32)}`;

interface Property {
  /** The value that tells counters apart: unique in the installation. Undefined: the request has none. */
  group(facts: PolicyFacts): string | undefined;
  /** Further spellings that conditions may use. */
  names?(facts: PolicyFacts): readonly string[];
}

/** The id of an entry without its kind: `team-a/app`. */
const idOf = (id: string): string => id.slice(id.indexOf('/') + 1);

const PROPERTIES: ReadonlyMap<string, Property> = new Map<string, Property>([
  ['api_key', { group: ({ apiKey }) => idOf(apiKey.id), names: ({ apiKey }) => [apiKey.name] }],
  ['workspace_id', { group: ({ workspace }) => workspace }],
  ['organisation_id', { group: () => ORGANISATION_ID }],
  [
    'virtual_key',
    { group: ({ account }) => account && idOf(account.id), names: ({ account }) => (account ? [account.slug] : []) },
  ],
  ['provider', { group: ({ provider }) => provider }],
  [
    'config',
    {
      group: ({ config }) => config && `${config.workspace}/${config.slug}`,
      names: ({ config }) => (config ? [config.slug] : []),
    },
  ],
  [
    'prompt',
    {
      group: ({ prompt }) => prompt && `${prompt.workspace}/${prompt.slug}`,
      names: ({ prompt }) => (prompt ? [prompt.slug] : []),
    },
  ],
  [
    MODEL,
    {
      group: ({ provider, model }) => (model === '' ? undefined : `${provider}.${nameOfModel(model)}`),
      names: ({ provider, model }) => [`@${provider}/${nameOfModel(model)}`, nameOfModel(model)],
    },
  ],
  ['endpoint_type', { group: ({ endpointType }) => endpointType }],
]);

/** Undefined for a property that this version does not know. */
function propertyOf(key: string): Property | undefined {
  if (!key.startsWith(METADATA)) return PROPERTIES.get(key);
  const name = key.slice(METADATA.length);
  return { group: ({ metadata }) => (Object.hasOwn(metadata, name) ? textOf(metadata[name]) : undefined) };
}

/** Lists and objects have no value to compare; an empty text is none. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

type Condition = EntryBody<'policy'>['conditions'][number];

function compileCondition({ key, values, excludes }: Condition): (facts: PolicyFacts) => boolean {
  const property = propertyOf(key);
  const isExcluded = excludes === undefined ? () => false : matcherOf(key, excludes);
  const isIncluded = values === undefined ? () => true : matcherOf(key, values);
  return (facts) => {
    const value = property?.group(facts);
    if (value === undefined) return false;
    const spellings = [value, ...(property?.names?.(facts) ?? [])];
    return !spellings.some(isExcluded) && spellings.some(isIncluded);
  };
}

/** Whether the condition of a model holds for one of the provider, as far as it names providers. */
function admitsSome({ values, excludes = [] }: Condition, { provider }: Pick<PolicyFacts, 'provider'>): boolean {
  const own = `@${provider}/`;
  const isAll = (pattern: string): boolean => pattern === '*' || pattern === `${own}*`;
  if (excludes.map(nameOfModel).some(isAll)) return false;
  return values === undefined || values.map(nameOfModel).some((text) => !text.startsWith('@') || text.startsWith(own));
}

/** `*` is any value, `PREFIX/*` every model that begins with the prefix. */
function matcherOf(key: string, patterns: readonly string[]): (value: string) => boolean {
  if (patterns.includes('*')) return () => true;
  const isModel = key === MODEL;
  const exact = new Set(isModel ? patterns.map(nameOfModel) : patterns);
  const prefixes = isModel ? [...exact].filter((text) => text.endsWith('/*')).map((text) => text.slice(0, -1)) : [];
  return (value) => exact.has(value) || prefixes.some((prefix) => value.startsWith(prefix));
}
