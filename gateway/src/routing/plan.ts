/** A compiled config: inheritance, parsing and look-ups are done. */
import type { Deployment } from '@gatehouse/crds/config';
import type { HookActions } from '@gatehouse/crds/guardrails';
import type { ReachBody } from '@gatehouse/crds/snapshot';
import type { CompiledHook } from '../guardrails/index.ts';
import type { MaybeSecret } from '../lib/secret.ts';
import type { TargetFields } from '../providers/contract.ts';
import type { Matcher } from './query.ts';
import type { ParamShape } from './shape-params.ts';

export interface RetryPlan {
  /** Retries after the first try, 0 to 5. */
  readonly maxRetries: number;
  readonly statusCodes: ReadonlySet<number>;
  readonly useRetryAfter: boolean;
}

export interface CachePlan {
  readonly maxAgeSeconds: number | undefined;
  /** How similar prompts are found; undefined: only the same request is. */
  readonly semantic: SemanticPlan | undefined;
}

export interface SemanticPlan {
  /** `@provider/model` */
  readonly model: string;
  /** The least cosine. */
  readonly threshold: number;
}

/** Author of a config or owner of a credential, from the least to the most trusted. */
export type Principal = 'client' | 'workspace' | 'organisation';

/** Thresholds of a circuit breaker. */
export interface BreakerPlan {
  readonly failureThreshold: number | undefined;
  readonly failurePercentage: number | undefined;
  readonly minimumRequests: number;
  readonly cooldownMs: number;
  /** Absent: every 5xx is a failure. */
  readonly failureStatusCodes: ReadonlySet<number> | undefined;
}

/** A hook of a config: written out, or the slug of a stored guardrail with what the config says instead of its actions. */
export type HookSource =
  | { readonly kind: 'inline'; readonly hook: CompiledHook }
  | { readonly kind: 'stored'; readonly slug: string; readonly actions: HookActions };

/** The hooks of a target after inheritance, by direction. */
export interface LeafHooks {
  readonly input: readonly HookSource[];
  readonly output: readonly HookSource[];
}

/** The settings of a target after inheritance. */
export interface LeafSettings {
  readonly shape: ParamShape;
  readonly retry: RetryPlan;
  readonly cache: CachePlan | undefined;
  /** 0: no limit. */
  readonly requestTimeoutMs: number;
  readonly customHost: string | undefined;
  readonly forwardHeaders: readonly string[];
  readonly strict: boolean;
  /** What happens to parameters that the provider does not have. */
  readonly unsupportedParams: 'drop' | 'error';
  /** A saved prompt instead of that of the request. */
  readonly promptId: string | undefined;
  /** Undefined: none in both directions. */
  readonly hooks: LeafHooks | undefined;
}

/** Source of a target's provider and credential. */
export type LeafSource =
  | { readonly kind: 'managed'; readonly slug: string }
  /** Provider and credential are written in the config. */
  | { readonly kind: 'literal'; readonly provider: string; readonly fields: ReadonlyMap<string, MaybeSecret> }
  /** Its credential stays with the fleet: a sidecar cannot use it. */
  | { readonly kind: 'fleet' }
  /** The request's own `@slug`: header, then model. */
  | { readonly kind: 'passthrough' }
  /** The root of a config without provider: completed from the request's headers. */
  | { readonly kind: 'request' };

export interface Leaf {
  readonly kind: 'leaf';
  /** `config`, `config.targets[0].targets[1]`, … */
  readonly path: string;
  readonly source: LeafSource;
  readonly settings: LeafSettings;
  readonly deployments: readonly Deployment[];
  /** Settings that override those of a managed provider. */
  readonly overlay: ReadonlyMap<string, string>;
  readonly breaker: BreakerPlan | undefined;
  /** It stands behind another target of a fallback: it is tried where that one has failed, or is left out. */
  readonly isFallback: boolean;
}

export interface StickyPlan {
  /** Version of the config, part of the storage key, so that a new version starts over. */
  readonly version: string;
  readonly ttlSeconds: number;
  readonly fields: readonly StickyField[];
}

export interface StickyField {
  /** As written, e.g. `metadata._user`: part of the identifier. */
  readonly name: string;
  readonly source: 'metadata' | 'params' | 'headers';
  readonly path: readonly string[];
}

interface BranchBase {
  readonly kind: 'branch';
  readonly path: string;
  readonly children: readonly PlanNode[];
}

export type Branch =
  | (BranchBase & { readonly mode: 'single' })
  | (BranchBase & {
      readonly mode: 'loadbalance';
      readonly weights: readonly number[];
      readonly sticky: StickyPlan | undefined;
    })
  /** Without codes every status but 2xx moves on. */
  | (BranchBase & { readonly mode: 'fallback'; readonly onStatusCodes: ReadonlySet<number> | undefined })
  | (BranchBase & {
      readonly mode: 'conditional';
      readonly conditions: readonly { readonly matches: Matcher; readonly then: string }[];
      readonly default: string | undefined;
      readonly byName: ReadonlyMap<string, PlanNode>;
    });

export type PlanNode = Leaf | Branch;

/** A compiled config as a whole. */
export interface RoutingPlan {
  readonly root: PlanNode;
  /** Slug of a saved config; undefined for inline configs and plain requests. */
  readonly slug: string | undefined;
  readonly version: string | undefined;
  /** `metadata.generation` of a saved config; undefined for inline configs and plain requests. */
  readonly generation: number | undefined;
  /** Who names the hosts: those of resources may be in-cluster Services, those of requests may not. */
  readonly hostOrigin: 'request' | 'resource';
  /** The reach of hosts in a workspace's resource; see the contract. */
  readonly reach: ReachBody | undefined;
  /** Author of the config. */
  readonly owner: Principal;
  /** Managed providers the tree names. */
  readonly slugs: readonly string[];
  /** Those of them that `virtual_key` names, where they have no `@`. */
  readonly virtualKeys: readonly string[];
  /** Saved prompts the tree names. */
  readonly prompts: readonly string[];
  /** Stored guardrails the tree names. */
  readonly guardrails: readonly string[];
  readonly leafCount: number;
  /** Memory that its patterns may use, in bytes. */
  readonly patternBytes: number;
  /** Whether a target takes its provider from the request. */
  readonly hasPassthrough: boolean;
  readonly hasBreaker: boolean;
  /** Whether a target with its credential in the config needs the fleet; those that name a provider are not looked at. */
  readonly needsFleet: boolean;
  readonly fetchIntegratedModels: boolean;
  /** The root names neither provider nor targets. */
  readonly needsRequestProvider: boolean;
  /**
   * The settings of the root alone, for the provider that a request names instead of what the config names. Undefined where
   * the config itself uses the request's provider.
   */
  readonly settingsAlone: RoutingPlan | undefined;
}

export type { TargetFields };
