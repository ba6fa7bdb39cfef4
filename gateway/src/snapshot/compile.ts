import { checkCaps, type TargetCaps } from '@gatehouse/crds/config';
import { pricedModelOf } from '@gatehouse/crds/providers';
import { type AnyEntry, isOrganisationOnly, type SnapshotEntry } from '@gatehouse/crds/snapshot';
import { compileAccountPrices, compilePrice } from '../cost/index.ts';
import { type MaybeSecret, Secret } from '../lib/secret.ts';
import type { Provider } from '../providers/contract.ts';
import { createFields, prepareTarget } from '../providers/engine/index.ts';
import { type CompileOptions, compilePlan, HooksUnusable } from '../routing/index.ts';
import { compileReach } from '../upstream/index.ts';
import { compileAccesses } from './access-limits.ts';
import { compileGuardrail, isOfOrganisation } from './compile-guardrail.ts';
import type {
  Credential,
  GuardrailRecord,
  IssuerRecord,
  KeyRecord,
  ManagedProvider,
  PriceRecord,
  SavedConfig,
  SidecarRecord,
  WorkspaceRecord,
} from './compiled-entries.ts';
import { compileLimits, NO_LIMITS } from './owner-limits.ts';
import { compilePolicy, type PolicyRecord } from './policies.ts';
import {
  type CompiledLibraryEntry,
  compilePartialEntry,
  compilePartialVersion,
  compilePromptEntry,
  compilePromptVersion,
} from './prompt-records.ts';

export type Credentials = ReadonlyMap<string, Credential>;

/**
 * Values are wrapped as `Secret`. They are revealed to prepare a target, to authorise its requests, in hashed cache keys,
 * and to take them out of the answers of failed calls.
 */
export const toCredential = ({ body }: SnapshotEntry<'credential'>): Credential => ({
  fields: toSecrets(body.fields),
  headers: toSecrets(body.headers ?? {}),
  modelHeaders: new Map(Object.entries(body.modelHeaders ?? {}).map(([model, headers]) => [model, toSecrets(headers)])),
  parameters: toSecrets(body.parameters ?? {}),
});

const toSecrets = (values: Readonly<Record<string, string>>): ReadonlyMap<string, Secret> =>
  new Map(Object.entries(values).map(([name, value]) => [name, new Secret(value)]));

/** What the compilation of an entry depends on. */
export interface CompileContext {
  readonly providers: ReadonlyMap<string, Provider>;
  /** By id of the credential entry. */
  readonly credentials: Credentials;
  /** Of saved configs; undefined: those of the control plane alone. */
  readonly caps: TargetCaps | undefined;
}

interface CompiledKey {
  readonly kind: 'key';
  readonly record: KeyRecord;
  readonly hashes: readonly string[];
  /** The key before it, as long as it works. */
  readonly previous?: { readonly record: KeyRecord; readonly hash: string };
}

export type Compiled =
  | CompiledKey
  | { readonly kind: 'provider'; readonly record: ManagedProvider }
  | { readonly kind: 'config'; readonly record: SavedConfig }
  | { readonly kind: 'guardrail'; readonly record: GuardrailRecord }
  | { readonly kind: 'workspace'; readonly record: WorkspaceRecord }
  | { readonly kind: 'policy'; readonly record: PolicyRecord }
  | CompiledLibraryEntry
  | { readonly kind: 'sidecar'; readonly record: SidecarRecord }
  | { readonly kind: 'price'; readonly record: PriceRecord }
  | { readonly kind: 'issuer'; readonly record: IssuerRecord }
  | { readonly kind: 'skipped'; readonly reason: string };

/** The record of an entry; organisation and credential entries have none of their own. */
export function compileEntry(entry: AnyEntry, context: CompileContext): Compiled | undefined {
  switch (entry.kind) {
    case 'key':
      return compileKey(entry);
    case 'provider':
      return compileProvider(entry, context);
    case 'config':
      return compileConfig(entry, context);
    case 'guardrail':
      return compileGuardrail(entry, context.credentials);
    case 'workspace':
      return { kind: 'workspace', record: compileWorkspace(entry) };
    case 'policy':
      return { kind: 'policy', record: compilePolicy(entry) };
    case 'prompt':
      return compilePromptEntry(entry);
    case 'promptVersion':
      return compilePromptVersion(entry);
    case 'partial':
      return compilePartialEntry(entry);
    case 'partialVersion':
      return compilePartialVersion(entry);
    case 'sidecar':
      return { kind: 'sidecar', record: compileSidecar(entry) };
    case 'price':
      return {
        kind: 'price',
        record: { provider: entry.body.provider, model: entry.body.model, price: compilePrice(entry.body) },
      };
    case 'issuer':
      return compileIssuer(entry.body);
    case 'organisation':
    case 'credential':
      return undefined;
  }
}

const ISSUER_TYPES: ReadonlySet<string> = new Set(['jwt', 'cluster']);

const compileIssuer = (record: IssuerRecord): Compiled =>
  ISSUER_TYPES.has(record.type)
    ? { kind: 'issuer', record }
    : { kind: 'skipped', reason: `unknown type of issuer ${record.type}` };

function compileWorkspace({ id, workspace, body }: SnapshotEntry<'workspace'>): WorkspaceRecord {
  return { ...body, name: workspace ?? '', limits: compileLimits({ subject: id, workspace }, body) };
}

/** No limits: the fleet counts them. */
function compileSidecar({ id, body }: SnapshotEntry<'sidecar'>): SidecarRecord {
  const { name, workspace, scopes, defaults, fleet } = body;
  const key: KeyRecord = {
    id,
    name,
    workspace,
    scopes: new Set(scopes),
    defaults,
    limits: NO_LIMITS,
    expiresAtMs: Number.POSITIVE_INFINITY,
    user: undefined,
  };
  return { profile: name, workspace, key, fleet };
}

function compileKey({ id, workspace, body }: SnapshotEntry<'key'>): CompiledKey {
  const { previous, sha256: hashes } = body;
  const record: KeyRecord = {
    id,
    name: body.name,
    workspace,
    scopes: new Set(body.scopes.map((scope) => scope.replaceAll(':', '.'))),
    defaults: body.defaults,
    limits: compileLimits({ subject: id, workspace }, body),
    expiresAtMs: toMs(body.expiresAt),
    user: body.user,
    headersToMask: body.headersToMask,
  };
  if (previous === undefined) return { kind: 'key', record, hashes };
  const expiresAtMs = Math.min(record.expiresAtMs, toMs(previous.expiresAt));
  return { kind: 'key', record, hashes, previous: { record: { ...record, expiresAtMs }, hash: previous.sha256 } };
}

function compileProvider(entry: SnapshotEntry<'provider'>, { providers, credentials }: CompileContext): Compiled {
  const { id, workspace, body } = entry;
  const provider = providers.get(body.provider);
  if (provider === undefined) return { kind: 'skipped', reason: `unknown provider ${body.provider}` };
  const credential = credentials.get(body.credential ?? '');
  const values = new Map<string, MaybeSecret>([...Object.entries(body.settings), ...(credential?.fields ?? [])]);
  const headers = new Map([...toSecrets(body.headers), ...(credential?.headers ?? [])]);
  const ownIdentity = mayUsePodIdentity(entry);
  const allPaths = body.proxyPaths === 'All';
  const account = { provider, values, customHost: body.customHost, headers, ownIdentity, allPaths };
  const record: ManagedProvider = {
    id,
    slug: body.slug,
    workspace,
    hostOrigin: compileReach(body.reach),
    deployments: body.deployments,
    expiresAtMs: toMs(body.expiresAt),
    models: body.models === undefined ? undefined : new Set(body.models),
    inspectStreamForOverload: body.inspectStreamForOverload,
    modelNames: toMap(body.modelNames),
    modelMarks: toMap(body.modelMarks),
    baseModels: toMap(body.baseModels),
    modelAccounts: NO_ACCOUNTS,
    grants: new Set(body.grants),
    prices: compileAccountPrices(
      body,
      pricedModelOf(body.provider, (key) => body.settings[key]),
    ),
    limits: compileLimits({ subject: id, workspace }, body),
    accessLimits: compileAccesses(body.accesses),
    needsFleet: body.needsFleet ?? false,
    owner: ownIdentity || workspace === null || isOfOrganisation(body.credential) ? 'organisation' : 'workspace',
    ...preparedAccount(account),
  };
  const modelAccounts = compileModelAccounts(record, account, {
    hosts: toMap(body.modelHosts),
    headers: credential?.modelHeaders ?? new Map(),
  });
  return { kind: 'provider', record: modelAccounts.size === 0 ? record : { ...record, modelAccounts } };
}

const NO_ACCOUNTS: ManagedProvider['modelAccounts'] = new Map();

const toMap = <T>(object: Readonly<Record<string, T>> | undefined): ReadonlyMap<string, T> =>
  new Map(Object.entries(object ?? {}));

interface AccountParts extends Pick<ManagedProvider, PreparedMember> {
  readonly allPaths: boolean;
}

type PreparedMember = 'provider' | 'values' | 'customHost' | 'headers' | 'ownIdentity';

/** The members of a record that depend on its host and headers. */
function preparedAccount({ allPaths, ...parts }: AccountParts): Pick<ManagedProvider, PreparedMember | 'target'> {
  const { provider, values, customHost, headers, ownIdentity } = parts;
  const options = {
    ownIdentity,
    allPaths,
    headers,
    stored: true,
    ...(customHost === undefined ? {} : { customHost }),
  };
  return { ...parts, target: prepareTarget(provider, createFields(provider, values), options) };
}

interface ModelSettings {
  readonly hosts: ReadonlyMap<string, string>;
  readonly headers: Credential['modelHeaders'];
}

/** The identity of the pod is never used for a host of a model: it goes to the hosts of the provider alone. */
function compileModelAccounts(
  record: ManagedProvider,
  account: AccountParts,
  settings: ModelSettings,
): Map<string, ManagedProvider> {
  const models = new Set([...settings.hosts.keys(), ...settings.headers.keys()]);
  return new Map(
    [...models].map((model) => {
      const customHost = settings.hosts.get(model) ?? account.customHost;
      const ownIdentity = account.ownIdentity && !settings.hosts.has(model);
      const headers = withHeaders(account.headers, settings.headers.get(model));
      return [model, { ...record, ...preparedAccount({ ...account, customHost, headers, ownIdentity }) }];
    }),
  );
}

/** Header names are compared without case; those of the model replace those of the account. */
function withHeaders(
  common: ReadonlyMap<string, Secret>,
  own: ReadonlyMap<string, Secret> | undefined,
): ReadonlyMap<string, Secret> {
  if (own === undefined) return common;
  const replaced = new Set([...own.keys()].map((name) => name.toLowerCase()));
  return new Map([...[...common].filter(([name]) => !replaced.has(name.toLowerCase())), ...own]);
}

/**
 * Resources of the organisation may use the identity of its pods; for others the entry grants it. Entries of operators that do
 * not know the member grant nothing.
 */
function mayUsePodIdentity({ workspace, body }: SnapshotEntry<'provider'>): boolean {
  return workspace === null || body.ownIdentity === true;
}

function compileConfig(entry: SnapshotEntry<'config'>, { credentials, caps }: CompileContext): Compiled {
  const { id, workspace, generation, body } = entry;
  const [beyond] = caps === undefined ? [] : checkCaps(body.node, caps);
  if (beyond !== undefined) return { kind: 'skipped', reason: `${beyond.path.join('.')}: ${beyond.message}` };
  const saved = { slug: body.slug, version: body.version, generation: generation || undefined, workspace };
  const needsFleet = new Set(body.needsFleet);
  const options: CompileOptions = {
    saved,
    reach: body.reach,
    hookScope: compileReach(body.reach),
    credential: (credential) => credentials.get(credential)?.fields,
    needsFleet: (credential) => needsFleet.has(credential),
  };
  try {
    const plan = compilePlan(body.node, options);
    const record = { id, slug: body.slug, workspace, withheld: isOrganisationOnly(entry), plan };
    return { kind: 'config', record };
  } catch (error) {
    if (error instanceof HooksUnusable) return { kind: 'skipped', reason: error.message };
    throw error;
  }
}

/** A time that cannot be read counts as past, so that the key or account is refused. */
function toMs(time: string | undefined): number {
  const ms = time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time);
  return Number.isNaN(ms) ? 0 : ms;
}
