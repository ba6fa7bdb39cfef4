import { DEFAULT_STICKY_TTL_SECONDS, managedSlugOf, parseQuery, type RoutingNode } from '@gatehouse/crds/config';
import type { ReachBody } from '@gatehouse/crds/snapshot';
import type { CompiledHook } from '../guardrails/index.ts';
import { type MaybeSecret, Secret } from '../lib/secret.ts';
import { type HookContext, inheritHooks } from './hooks.ts';
import { inherit, ROOT_SETTINGS, toBreakerPlan } from './inherit.ts';
import type {
  Branch,
  BreakerPlan,
  Leaf,
  LeafSettings,
  LeafSource,
  PlanNode,
  Principal,
  RoutingPlan,
  StickyField,
  StickyPlan,
} from './plan.ts';
import { compileQuery, queryBytes } from './query.ts';
import { settingsOf } from './settings-of.ts';

export interface CompileOptions {
  /** Identity of a saved config; undefined for inline ones, which have neither stickiness nor breaker. */
  readonly saved:
    | {
        readonly slug: string;
        readonly version: string;
        /** `metadata.generation` of the resource; absent: it has none. */
        readonly generation?: number | undefined;
        /** Null: the config is the organisation's. */
        readonly workspace?: string | null;
      }
    | undefined;
  /** The reach of hosts in a saved config; absent: anywhere inside the cluster. */
  readonly reach?: ReachBody | undefined;
  /** Which hosts the checks of its hooks may call; absent: those that requests may name. */
  readonly hookScope?: CompiledHook['scope'];
  /** The secret fields behind a credential id. */
  readonly credential: (id: string) => ReadonlyMap<string, Secret> | undefined;
  /** Whether the credential of the id stays with the fleet; used on sidecars. */
  readonly needsFleet?: (id: string) => boolean;
}

interface Context extends CompileOptions, Pick<HookContext, 'scope' | 'literalCredentials'> {
  readonly path: string;
  readonly parent: LeafSettings;
  readonly breaker: BreakerPlan | undefined;
  readonly isFallback: boolean;
  readonly found: {
    readonly slugs: Set<string>;
    readonly virtualKeys: Set<string>;
    readonly guardrails: Set<string>;
    readonly prompts: Set<string>;
    leaves: number;
    passthrough: boolean;
    breaker: boolean;
    fleet: boolean;
    patternBytes: number;
  };
}

/** Compiles a checked config: does all work that does not depend on a request. Throws HooksUnusable. */
export function compilePlan(node: RoutingNode, options: CompileOptions): RoutingPlan {
  const plan = compileTree(node, options);
  if (plan.needsRequestProvider || plan.hasPassthrough) return { ...plan, settingsAlone: undefined };
  const alone = compileTree(settingsOf(node), options);
  return {
    ...plan,
    patternBytes: plan.patternBytes + alone.patternBytes,
    settingsAlone: { ...alone, settingsAlone: undefined },
  };
}

function compileTree(node: RoutingNode, options: CompileOptions): Omit<RoutingPlan, 'settingsAlone'> {
  const names = {
    slugs: new Set<string>(),
    virtualKeys: new Set<string>(),
    guardrails: new Set<string>(),
    prompts: new Set<string>(),
  };
  const found = { ...names, leaves: 0, passthrough: false, breaker: false, fleet: false, patternBytes: 0 };
  const isInline = options.saved === undefined;
  const hosts = { scope: options.hookScope ?? 'request', literalCredentials: isInline };
  const top = { path: 'config', parent: ROOT_SETTINGS, breaker: undefined, isFallback: false };
  const root = compileNode(node, { ...options, ...hosts, ...top, found });
  return {
    root,
    slug: options.saved?.slug,
    version: options.saved?.version,
    generation: options.saved?.generation,
    hostOrigin: options.saved === undefined ? 'request' : 'resource',
    reach: options.reach,
    owner: ownerOf(options.saved),
    slugs: [...found.slugs],
    virtualKeys: [...found.virtualKeys],
    prompts: [...found.prompts],
    guardrails: [...found.guardrails],
    leafCount: found.leaves,
    patternBytes: found.patternBytes,
    hasPassthrough: found.passthrough,
    hasBreaker: found.breaker,
    needsFleet: found.fleet,
    fetchIntegratedModels: node.fetchIntegratedModels ?? false,
    needsRequestProvider: root.kind === 'leaf' && root.source.kind === 'request',
  };
}

function ownerOf(saved: CompileOptions['saved']): Principal {
  if (saved === undefined) return 'client';
  return saved.workspace === null ? 'organisation' : 'workspace';
}

function compileNode(node: RoutingNode, context: Context): PlanNode {
  const settings = inherit(context.parent, node, inheritHooks(context.parent.hooks, node, context));
  if (node.strategy === undefined || node.targets === undefined) return compileLeaf(node, settings, context);
  return compileBranch(node, node.strategy, { ...context, parent: settings });
}

function compileBranch(node: RoutingNode, strategy: NonNullable<RoutingNode['strategy']>, context: Context): Branch {
  const breaker = breakerBelow(strategy, context);
  const targets = node.targets ?? [];
  const children = targets.map((target, i) =>
    compileNode(target, {
      ...{ ...context, breaker, path: `${context.path}.targets[${i}]` },
      isFallback: context.isFallback || (strategy.mode === 'fallback' && i > 0),
    }),
  );
  const base = { kind: 'branch', path: context.path, children } as const;
  switch (strategy.mode) {
    case 'single':
      return { ...base, mode: 'single' };
    case 'loadbalance':
      return {
        ...base,
        mode: 'loadbalance',
        weights: targets.map((target) => target.weight ?? 1),
        sticky: stickyOf(strategy, context),
      };
    case 'fallback': {
      const { onStatusCodes } = strategy;
      return {
        ...base,
        mode: 'fallback',
        onStatusCodes: onStatusCodes === undefined ? undefined : new Set(onStatusCodes),
      };
    }
    case 'conditional':
      return {
        ...base,
        mode: 'conditional',
        conditions: conditionsOf(strategy, context),
        default: strategy.default,
        byName: namedTargets(targets, children),
      };
  }
}

/** Breakers exist in saved configs only; a conditional strategy has none and ends an inherited one. */
function breakerBelow(strategy: NonNullable<RoutingNode['strategy']>, context: Context): BreakerPlan | undefined {
  if (context.saved === undefined || strategy.mode === 'conditional') return undefined;
  return strategy.cbConfig === undefined ? context.breaker : toBreakerPlan(strategy.cbConfig);
}

function conditionsOf(strategy: NonNullable<RoutingNode['strategy']>, { found }: Context) {
  return (strategy.conditions ?? []).flatMap(({ query, then }) => {
    const parsed = parseQuery(query, [], 'checked'); // its patterns are compiled when they are needed
    if (!parsed.ok) return [];
    found.patternBytes += queryBytes(parsed.value);
    return [{ matches: compileQuery(parsed.value), then }];
  });
}

/** The first target of a name wins. */
function namedTargets(targets: readonly RoutingNode[], children: readonly PlanNode[]): ReadonlyMap<string, PlanNode> {
  const byName = new Map<string, PlanNode>();
  for (const [i, child] of children.entries()) {
    const name = targets[i]?.name;
    if (name !== undefined && !byName.has(name)) byName.set(name, child);
  }
  return byName;
}

function stickyOf(strategy: NonNullable<RoutingNode['strategy']>, { saved }: Context): StickyPlan | undefined {
  const { sticky } = strategy;
  if (saved === undefined || sticky === undefined || !sticky.enabled) return undefined;
  return {
    version: saved.version,
    ttlSeconds: sticky.ttl ?? DEFAULT_STICKY_TTL_SECONDS,
    fields: (sticky.hashFields ?? []).map(toStickyField),
  };
}

function toStickyField(name: string): StickyField {
  const [source, ...path] = name.split('.');
  if (source === 'headers') return { name, source, path: [path.join('.').toLowerCase()] };
  return { name, source: source === 'params' ? 'params' : 'metadata', path };
}

function compileLeaf(node: RoutingNode, settings: LeafSettings, context: Context): Leaf {
  const source = sourceOf({ ...node, overrideParams: settings.shape.overrides }, context);
  context.found.leaves += 1;
  if (source.kind === 'managed') {
    context.found.slugs.add(source.slug);
    if (source.slug === node.virtualKey) context.found.virtualKeys.add(source.slug);
  }
  if (settings.promptId !== undefined) context.found.prompts.add(settings.promptId);
  context.found.fleet ||= source.kind === 'fleet';
  context.found.passthrough ||= source.kind === 'passthrough';
  const breaker = source.kind === 'managed' ? context.breaker : undefined;
  context.found.breaker ||= breaker !== undefined;
  return {
    kind: 'leaf',
    path: context.path,
    source,
    settings: withoutModelSlug(settings),
    deployments: node.deployments ?? [],
    overlay: new Map(Object.entries(node.settings ?? {})),
    breaker,
    isFallback: context.isFallback,
  };
}

function sourceOf(node: RoutingNode, context: Context): LeafSource {
  const slug = managedSlugOf(node);
  if (slug !== undefined) return { kind: 'managed', slug };
  if (node.passthrough === true) return { kind: 'passthrough' };
  if (node.provider === undefined) return { kind: 'request' };
  if (node.credential !== undefined && context.needsFleet?.(node.credential) === true) return { kind: 'fleet' };
  const fields = new Map<string, MaybeSecret>(Object.entries(node.settings ?? {}));
  if (node.apiKey !== undefined) fields.set('api_key', new Secret(node.apiKey));
  const secrets = node.credential === undefined ? undefined : context.credential(node.credential);
  for (const [key, value] of secrets ?? []) fields.set(key, value);
  return { kind: 'literal', provider: node.provider, fields };
}

/** `override_params.model: "@slug/x"` selects the provider and leaves `x` as the model. */
function withoutModelSlug(settings: LeafSettings): LeafSettings {
  const { model } = settings.shape.overrides as { model?: unknown };
  if (typeof model !== 'string' || managedSlugOf({ overrideParams: { model } }) === undefined) return settings;
  const overrides = { ...settings.shape.overrides, model: model.slice(model.indexOf('/') + 1) };
  return { ...settings, shape: { ...settings.shape, overrides } };
}
