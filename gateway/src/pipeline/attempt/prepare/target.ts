/** The account of a leaf, ready to build requests; docs/behaviour/providers.md. */
import { hash } from 'node:crypto';
import type { Deployment } from '@gatehouse/crds/config';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { AppError } from '../../../errors/index.ts';
import { type MaybeSecret, reveal } from '../../../lib/secret.ts';
import type { Provider } from '../../../providers/contract.ts';
import { createFields, holdsCredential, type PreparedTarget, prepareTarget } from '../../../providers/engine/index.ts';
import type { Leaf, Principal, RoutingPlan } from '../../../routing/index.ts';
import type { ManagedProvider, SnapshotView } from '../../../snapshot/index.ts';
import { checkCustomHost, type HostPolicy } from '../../../upstream/host-guard/index.ts';
import { compileReach, type HostScope } from '../../../upstream/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { type Caller, type ClientRequest, ownFormModelOf } from '../../exchange.ts';
import { headerFields, type Resolution } from '../../resolve/index.ts';
import { allowedAdditions, checkCredentialScope, ranksBelow, settingRefused } from './credential-scope.ts';
import { checkModelAllowList, type ModelInput } from './model-allow-list.ts';

export interface ResolvedTarget {
  readonly target: PreparedTarget;
  readonly hostOrigin: HostScope;
  readonly managed: ManagedProvider | undefined;
  /** The owner of the stored credential; undefined where the caller brings it, or there is none. */
  readonly storedBy: Principal | undefined;
  /** The fields of the target, credentials included. */
  readonly values: ReadonlyMap<string, MaybeSecret>;
}

export interface TargetInput extends ModelInput {
  readonly request: ClientRequest;
  readonly caller: Caller;
  readonly snapshot: SnapshotView;
  readonly resolution: Resolution;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly hosts: HostPolicy;
  readonly model: string;
  readonly nowMs: number;
}

/** A provider with its values, before what the request adds. */
interface Account {
  readonly provider: Provider;
  readonly values: ReadonlyMap<string, MaybeSecret>;
  readonly managed: ManagedProvider | undefined;
  /** The target as prepared when the Snapshot was loaded. */
  readonly prepared: PreparedTarget | undefined;
  readonly deployments: readonly Deployment[];
  /** The owner of its credential. */
  readonly owner: Principal;
  /** It may use the identity of the gateway's pod. */
  readonly ownIdentity: boolean;
  /** The host of calls that name none, made by the first of them. */
  host?: Host;
}

interface Host {
  readonly url: string | undefined;
  /** Where it was named. */
  readonly origin: HostScope;
  /** The account as it was prepared when the Snapshot was loaded, where this is its own host. */
  readonly resolved: ResolvedTarget | undefined;
}

/** Throws the AppError of an account that cannot be used. */
export function resolveTarget(leaf: Leaf, input: TargetInput): ResolvedTarget {
  const account = accountOf(leaf, input);
  checkManaged(account, input);
  const host = hostOf(leaf, account, input);
  const extra = extraFields(leaf, account, input);
  if (extra === undefined && host.resolved !== undefined) return host.resolved;
  const { managed } = account;
  const values = extra === undefined ? account.values : new Map([...account.values, ...extra]);
  const target = prepareTarget(account.provider, createFields(account.provider, values), {
    ...(host.url === undefined ? {} : { customHost: host.url }),
    ...(managed === undefined ? {} : { headers: managed.headers }),
    ownIdentity: mayUseIdentity(account, host, input),
    stored: account.owner !== 'client',
    allPaths: account.prepared?.allPaths ?? false,
  });
  return { target, hostOrigin: host.origin, managed, storedBy: storedBy(account, target), values };
}

/** An account without secrets and with its own host has no credential; other accounts use the identity of the gateway. */
const storedBy = ({ owner }: Account, target: PreparedTarget): Principal | undefined =>
  owner === 'client' || (target.namedHost && !holdsCredential(target)) ? undefined : owner;

// A memo of a pure function: the targets of a Snapshot serve many requests.
const identities = new WeakMap<PreparedTarget, string>();

/** Identifies the target in cache keys: account, settings, custom headers, and a credential that is not stored. */
export function targetIdentity({ target, managed, values }: ResolvedTarget): string {
  const known = identities.get(target);
  if (known !== undefined) return known;
  // The secrets of a stored account are left out: a rotated key keeps its cache.
  const fields = [...values].filter(([key]) => managed === undefined || target.fields.secret(key) === undefined);
  const plain = [...fields, ...target.customHeaders].map(([key, value]) => [key, reveal(value)]);
  const facts = [target.provider.id, managed?.id ?? null, fields.length, plain.toSorted()];
  const identity = hash('sha256', JSON.stringify(facts));
  identities.set(target, identity);
  return identity;
}

function accountOf(leaf: Leaf, input: TargetInput): Account {
  const { source } = leaf;
  const { resolution, snapshot, caller, providers } = input;
  if (source.kind === 'managed') {
    const record = snapshot.provider(caller.workspace.name, source.slug);
    if (record === undefined) {
      throw new AppError('PROVIDER_SLUG_UNKNOWN', {
        detail: `No provider or virtual key @${source.slug} in the workspace ${caller.workspace.name}`,
      });
    }
    return managedAccount(record, leaf, input);
  }
  if (source.kind === 'literal') {
    const provider = providers.get(source.provider);
    if (provider === undefined)
      throw new AppError('PROVIDER_UNKNOWN', { detail: `Unknown provider ${source.provider}` });
    const { owner } = resolution.plan;
    const ownIdentity = owner === 'organisation';
    return { provider, values: source.fields, ...UNPREPARED, deployments: leaf.deployments, owner, ownIdentity };
  }
  if (source.kind === 'fleet') throw new AppError('NEEDS_FLEET');
  const own = resolution.requestProvider;
  if (own?.kind === 'managed') return managedAccount(own.record, leaf, input);
  if (own === undefined || source.kind === 'passthrough') {
    throw new AppError('PROVIDER_REQUIRED', {
      detail: 'The target takes its provider from the request, which names none',
    });
  }
  const { provider, fields } = own;
  const { deployments } = leaf;
  return { provider, values: fields, ...UNPREPARED, deployments, owner: 'client', ownIdentity: false };
}

const UNPREPARED = { managed: undefined, prepared: undefined } as const;

// A memo of a pure function: a leaf and an account of the Snapshot serve many calls, and a process has one policy for hosts.
const accounts = new WeakMap<Leaf, WeakMap<ManagedProvider, Account & { readonly hosts: HostPolicy }>>();

function managedAccount(named: ManagedProvider, leaf: Leaf, { resolution, hosts, model }: TargetInput): Account {
  const record = named.modelAccounts.get(model) ?? named;
  const ofLeaf = accounts.get(leaf) ?? new WeakMap();
  const known = ofLeaf.get(record);
  if (known?.hosts === hosts) return known;
  const account = { ...newAccount(record, leaf, resolution), hosts };
  ofLeaf.set(record, account);
  accounts.set(leaf, ofLeaf);
  return account;
}

function newAccount(record: ManagedProvider, { deployments }: Leaf, { plan }: Resolution): Account {
  if (deployments.length > 0 && ranksBelow(plan.owner, record.owner)) throw settingRefused('deployments');
  return {
    provider: record.provider,
    values: record.values,
    managed: record,
    prepared: record.target,
    deployments: deployments.length > 0 ? deployments : record.deployments,
    owner: record.owner,
    ownIdentity: record.ownIdentity,
  };
}

function checkManaged({ managed: record, deployments }: Account, input: TargetInput): void {
  if (record === undefined) return;
  const provider = record.provider.id;
  if (record.needsFleet) {
    throw new AppError('NEEDS_FLEET', { provider, detail: `The credential of @${record.slug} stays with the fleet` });
  }
  if (input.nowMs >= record.expiresAtMs) {
    throw new AppError('PROVIDER_EXPIRED', { provider, detail: `The provider @${record.slug} has expired` });
  }
  if (record.models === undefined) return;
  const { body } = input.resolution;
  const form = body.kind === 'form' ? { fields: body.fields, model: ownFormModelOf(input.resolution) } : undefined;
  // Parameters of a config reach a JSON body alone.
  const params = body.kind === 'json' ? input.params : NO_PARAMS;
  checkModelAllowList(record, deployments, { ...input, params, form });
}

const NO_PARAMS: JsonObject = {};

/** Header over config over account; the scope of the host follows the one that named it. */
function hostOf(leaf: Leaf, account: Account, input: TargetInput): Host {
  const { resolution, hosts } = input;
  const { customHost } = resolution.headerOverrides;
  if (customHost !== undefined) {
    checkCredentialScope({ url: customHost, namedBy: 'client', param: 'x-gw-custom-host' }, account.owner, hosts);
    return toHost(account, customHost, 'request');
  }
  account.host ??= ownHost(leaf, account, input);
  return account.host;
}

function ownHost(leaf: Leaf, account: Account, { resolution, hosts }: TargetInput): Host {
  const { managed, owner, provider } = account;
  const configured = leaf.settings.customHost;
  if (configured !== undefined) {
    checkCredentialScope({ url: configured, namedBy: resolution.plan.owner, param: 'custom_host' }, owner, hosts);
  }
  const own = configured ?? managed?.customHost;
  const isOfAccount = managed !== undefined && configured === undefined && !namesUrl(leaf.overlay, provider.id);
  const isOfClient = owner === 'client' && configured === undefined; // its address is in headers, whatever the config is
  const origin = isOfAccount ? managed.hostOrigin : isOfClient ? 'request' : scopeOf(resolution.plan);
  if (own === undefined || origin === 'request') return toHost(account, own?.replace(/\/+$/, ''), origin);
  const checked = checkCustomHost(own, hosts, 'resource');
  if (!checked.ok) throw new AppError('CUSTOM_HOST_REFUSED', { param: 'customHost', detail: checked.error });
  return toHost(account, own, origin);
}

function toHost(account: Account, url: string | undefined, origin: HostScope): Host {
  const { managed, prepared: target, values } = account;
  if (target === undefined || url !== managed?.customHost) return { url, origin, resolved: undefined };
  return {
    url,
    origin,
    resolved: { target, hostOrigin: origin, managed, storedBy: storedBy(account, target), values },
  };
}

/** The identity of the pod is never used for an address that a workspace or a client names, even a trusted one. */
function mayUseIdentity(
  { ownIdentity, managed }: Account,
  { url, origin }: Host,
  { resolution }: TargetInput,
): boolean {
  if (!ownIdentity || origin === 'request') return false;
  return resolution.plan.owner === 'organisation' || (managed !== undefined && url === managed.customHost);
}

const scopeOf = ({ hostOrigin, reach }: RoutingPlan): HostScope =>
  hostOrigin === 'request' ? 'request' : compileReach(reach);

const namesUrl = (values: ReadonlyMap<string, string>, provider: string): boolean =>
  values.size > 0 &&
  (PROVIDER_CATALOGUE.get(provider)?.fields.some(({ key, url }) => url === true && values.has(key)) ?? false);

/** Fields that a config, the call or a deployment adds to the account; undefined when there are none. */
function extraFields(
  leaf: Leaf,
  { provider, managed, deployments, owner, values }: Account,
  { request, model, resolution }: TargetInput,
): ReadonlyMap<string, string> | undefined {
  const given = managed === undefined ? EMPTY : leaf.overlay;
  const isGuest = given.size > 0 && ranksBelow(resolution.plan.owner, owner);
  const overlay = isGuest ? allowedAdditions({ id: provider.id, values }, given) : given;
  const ofCall = headerFields('call', provider.id, request) ?? EMPTY;
  const routing = owner === 'client' ? openOnly(headerFields('routing', provider.id, request), values) : EMPTY;
  const deployment = deployments.length === 0 ? EMPTY : deploymentFields(deployments, model);
  if (overlay.size + ofCall.size + routing.size + deployment.size === 0) return undefined;
  return new Map([...routing, ...overlay, ...ofCall, ...deployment]);
}

const EMPTY: ReadonlyMap<string, string> = new Map();

const openOnly = (
  fields: ReadonlyMap<string, string> | undefined,
  values: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, string> =>
  fields === undefined ? EMPTY : new Map([...fields].filter(([key]) => !values.has(key)));

function deploymentFields(deployments: readonly Deployment[], model: string): ReadonlyMap<string, string> {
  const chosen =
    deployments.find(({ alias }) => alias === model) ?? deployments.find(({ isDefault }) => isDefault === true);
  if (chosen === undefined) {
    throw new AppError('DEPLOYMENT_UNKNOWN', {
      param: 'model',
      detail: `No deployment alias matches the model ${model} and none is marked as default`,
    });
  }
  const fields = new Map([['deployment_id', chosen.deploymentId]]);
  if (chosen.apiVersion !== undefined) fields.set('api_version', chosen.apiVersion);
  return fields;
}
