/** The entries of a Snapshot as requests use them: parsed, prepared and indexed. */
import type { Deployment } from '@gatehouse/crds/config';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { AccountPrices, ModelPrice } from '../cost/index.ts';
import type { CompiledHook } from '../guardrails/index.ts';
import type { MaybeSecret, Secret } from '../lib/secret.ts';
import type { Provider } from '../providers/contract.ts';
import type { PreparedTarget } from '../providers/engine/index.ts';
import type { RoutingPlan } from '../routing/index.ts';
import type { HostScope } from '../upstream/index.ts';
import type { OwnerLimits } from './owner-limits.ts';

/** The secret values of an account or of a guardrail's check. */
export interface Credential {
  /** By the name in the provider catalogue, or that of the check. */
  readonly fields: ReadonlyMap<string, Secret>;
  /** Custom headers by name. */
  readonly headers: ReadonlyMap<string, Secret>;
  /** Custom headers by model. */
  readonly modelHeaders: ReadonlyMap<string, ReadonlyMap<string, Secret>>;
  /** Parameters of a guardrail's check by name, as JSON. */
  readonly parameters: ReadonlyMap<string, Secret>;
}

/** A Guardrail. */
export interface GuardrailRecord {
  readonly id: string;
  readonly slug: string;
  readonly workspace: string | null;
  readonly hook: CompiledHook;
}

export type OrganisationRecord = EntryBody<'organisation'>;
export type WorkspaceRecord = EntryBody<'workspace'> & { readonly name: string; readonly limits: OwnerLimits };

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** Null: the key belongs to the organisation. */
  readonly workspace: string | null;
  /** Dotted names; `*` opens everything. */
  readonly scopes: ReadonlySet<string>;
  readonly defaults: EntryBody<'key'>['defaults'];
  readonly limits: OwnerLimits;
  /** Unix time in ms; Infinity: never. */
  readonly expiresAtMs: number;
  readonly user: string | undefined;
  /** As in the entry. */
  readonly headersToMask?: readonly string[] | undefined;
}

export interface ManagedProvider {
  readonly id: string;
  readonly slug: string;
  readonly workspace: string | null;
  readonly provider: Provider;
  /** Settings and credential by catalogue name. */
  readonly values: ReadonlyMap<string, MaybeSecret>;
  readonly customHost: string | undefined;
  /** The reach of its hosts. */
  readonly hostOrigin: HostScope;
  readonly headers: ReadonlyMap<string, Secret>;
  readonly deployments: readonly Deployment[];
  readonly expiresAtMs: number;
  /** Undefined: every model. */
  readonly models: ReadonlySet<string> | undefined;
  /** Names of models for people, by model: of those that it lists where it does not restrict them. */
  readonly modelNames: ReadonlyMap<string, string>;
  /** `custom` and `finetune`, by model. */
  readonly modelMarks: ReadonlyMap<string, readonly string[]>;
  /** The models whose prices apply, by model. */
  readonly baseModels: ReadonlyMap<string, string>;
  /** The account as calls of a model with a host or headers of its own see it, by model. */
  readonly modelAccounts: ReadonlyMap<string, ManagedProvider>;
  /** Undefined: as the gateway is set. */
  readonly inspectStreamForOverload: boolean | undefined;
  /** Prepared for requests that change none of the above. */
  readonly target: PreparedTarget;
  readonly grants: ReadonlySet<string>;
  readonly limits: OwnerLimits;
  /** Those of the grant by which the workspace uses the account; `NO_LIMITS` where there is none. */
  accessLimits(workspace: string): OwnerLimits;
  /** Undefined: it sets none. */
  readonly prices: AccountPrices | undefined;
  /** The credential stays with the fleet: a sidecar cannot use it. */
  readonly needsFleet: boolean;
  /** Owner of the credential. The identity of the gateway's pod is the organisation's, also when a workspace may use it. */
  readonly owner: 'workspace' | 'organisation';
  /** The identity of the gateway's pod may be used for it. */
  readonly ownIdentity: boolean;
}

/** A ModelPricing. */
export interface PriceRecord {
  readonly provider: string;
  readonly model: string;
  readonly price: ModelPrice;
}

export interface SavedConfig {
  readonly id: string;
  readonly slug: string;
  readonly workspace: string | null;
  readonly plan: RoutingPlan;
  /** Only the organisation may name it; see `isOrganisationOnly` of the contract. */
  readonly withheld: boolean;
}

/** An issuer of tokens: the same object as long as its entry is the same. */
export type IssuerRecord = EntryBody<'issuer'>;

/** A ServiceAccount whose tokens act in a workspace. */
export type Workload = NonNullable<EntryBody<'workspace'>['workloadIdentities']>[number] & {
  readonly workspace: string;
};

/** All pods of a namespace, which act in a workspace. */
export type PodsOfNamespace = NonNullable<EntryBody<'workspace'>['sidecarIdentity']> & { readonly workspace: string };

/** The identity of callers of a sidecar: its SidecarProfile instead of a key. */
export interface SidecarRecord {
  readonly profile: string;
  readonly workspace: string;
  readonly key: KeyRecord;
  /** The fleet that gets requests whose targets need credentials of the organisation. */
  readonly fleet: EntryBody<'sidecar'>['fleet'];
}
