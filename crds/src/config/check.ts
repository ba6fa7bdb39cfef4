/**
 * Checks that a schema cannot express: completeness, weights, names, queries, caps. Inline and saved configs share them, so
 * `kubectl`, `gatehouse validate` and a request header report the same problems.
 */

import { type CheckPhase, hooksOf } from '../guardrails/index.ts';
import { createSuggestions, didYouMean, type Suggest } from '../lib/suggestions.ts';
import { createPatternBudget, type PatternBudget } from '../patterns/index.ts';
import {
  API_KEY,
  canAuthenticate,
  fieldProblems,
  PROVIDER_CATALOGUE,
  type ProviderEntry,
  secretFieldsOf,
} from '../providers/index.ts';
import { HTTP_URL, type Issue } from '../schema/index.ts';
import { parseDropPath } from './drop-path.ts';
import { MAX_CONFIG_DEPTH, type TargetCaps } from './limits.ts';
import type { RoutingNode } from './node.ts';
import { parseQuery } from './query.ts';
import type { Strategy } from './strategy.ts';

export interface CheckOptions {
  readonly caps: TargetCaps;
  /** A saved config must name a default for its conditions; an inline one may leave it out. */
  readonly saved: boolean;
}

type Path = readonly (string | number)[];

/** Every problem of a config, each with its path; empty = the config can be compiled. */
export function checkConfig(root: RoutingNode, options: CheckOptions): Issue[] {
  const issues = [...checkCaps(root, options.caps)];
  if (issues.length > 0) return issues; // a tree beyond the caps is not walked
  const shared = { ...options, patterns: createPatternBudget(), suggest: createSuggestions() };
  walkTargets(root, [], (node, path) => {
    const strategy = checkStrategy(node, path, shared);
    issues.push(...checkCache(node, path), ...strategy, ...checkNames(node, path));
    issues.push(...checkMembers(node, path, options), ...checkHooks(node, path, shared));
    if (node.targets === undefined && node.strategy === undefined) issues.push(...checkLeaf(node, path, shared));
  });
  return issues;
}

/** Visits a node before its targets; paths are relative to the root. */
export function walkTargets(node: RoutingNode, path: Path, visit: (node: RoutingNode, path: Path) => void): void {
  visit(node, path);
  node.targets?.forEach((target, i) => {
    walkTargets(target, [...path, 'targets', i], visit);
  });
}

/** The managed provider that a node names: `@slug`, virtual key, or a model override of the form `@slug/model`. */
export function managedSlugOf(node: RoutingNode): string | undefined {
  if (node.provider?.startsWith('@')) return node.provider.slice(1).split('/')[0];
  if (node.virtualKey !== undefined) return node.virtualKey;
  const model = node.overrideParams?.['model'];
  return typeof model === 'string' ? modelSlugOf(model) : undefined;
}

/** The slug of `@slug/model`; `@cf/` and `@hf/` begin model names of vendors. */
export function modelSlugOf(model: string): string | undefined {
  if (!model.startsWith('@') || model.startsWith('@cf/') || model.startsWith('@hf/')) return undefined;
  const end = model.indexOf('/');
  return end > 1 ? model.slice(1, end) : undefined;
}

const problem = (path: Path, message: string): Issue => ({ code: 'invalid', path, message });

/** More targets or deeper ones than the caps admit. */
export function* checkCaps(root: RoutingNode, caps: TargetCaps): Generator<Issue> {
  const targets = root.targets ?? [];
  const conditional = root.strategy?.mode === 'conditional';
  const cap = conditional ? caps.conditionalRootTargets : caps.rootTargets;
  if (targets.length > cap) yield problem(['targets'], `${targets.length} targets; at most ${cap} are allowed`);
  for (const [i, target] of targets.entries()) {
    const { count, depth } = measure(target);
    if (count > caps.nestedTargets) {
      yield problem(['targets', i], `${count} nested targets; at most ${caps.nestedTargets} are allowed`);
    }
    if (depth > MAX_CONFIG_DEPTH) yield problem(['targets', i], `at most ${MAX_CONFIG_DEPTH} levels of targets`);
  }
}

function measure(node: RoutingNode, level = 0): { count: number; depth: number } {
  let count = 0;
  let depth = level;
  for (const target of level > MAX_CONFIG_DEPTH ? [] : (node.targets ?? [])) {
    const below = measure(target, level + 1);
    count += 1 + below.count;
    depth = Math.max(depth, below.depth);
  }
  return { count, depth };
}

function* checkCache({ cache }: RoutingNode, path: Path): Generator<Issue> {
  if (cache === undefined) return;
  const { mode, embeddingModel, similarityPercent } = cache;
  const at = (name: string): Path => [...path, 'cache', name];
  if (mode === 'simple') {
    const message = 'belongs to the mode semantic';
    if (embeddingModel !== undefined) yield problem(at('embeddingModel'), message);
    if (similarityPercent !== undefined) yield problem(at('similarityPercent'), message);
  } else if (embeddingModel === undefined) {
    yield problem(at('embeddingModel'), 'the mode semantic needs a model, as @provider/model');
  } else if (modelSlugOf(embeddingModel) === undefined) {
    yield problem(at('embeddingModel'), 'expected a model of a managed provider, as @provider/model');
  }
}

interface StrategyOptions extends CheckOptions {
  /** Shared by all conditions of the config. */
  readonly patterns: PatternBudget;
  readonly suggest: Suggest;
}

function* checkStrategy(node: RoutingNode, path: Path, options: StrategyOptions): Generator<Issue> {
  const { strategy, targets } = node;
  if (strategy === undefined) {
    if (targets !== undefined) yield problem([...path, 'strategy'], 'targets need a strategy');
    return;
  }
  if (targets === undefined) {
    yield problem([...path, 'targets'], `strategy ${strategy.mode} needs targets`);
    return;
  }
  if (options.saved) yield* unreadMembers(strategy, path);
  if (strategy.mode === 'loadbalance' && targets.every((target) => target.weight === 0)) {
    yield problem([...path, 'targets'], 'at least one target needs a weight above 0');
  }
  if (strategy.mode === 'conditional') yield* checkConditions(node, path, options);
}

/** Members of a strategy that only one mode reads. */
const READ_BY = {
  conditions: 'conditional',
  default: 'conditional',
  onStatusCodes: 'fallback',
  sticky: 'loadbalance',
} as const satisfies Partial<Record<keyof Strategy, Strategy['mode']>>;

function* unreadMembers(strategy: Strategy, path: Path): Generator<Issue> {
  for (const [member, mode] of Object.entries(READ_BY)) {
    if (strategy.mode === mode || strategy[member as keyof typeof READ_BY] === undefined) continue; // a key of the table
    yield problem([...path, 'strategy', member], `only mode ${mode} reads it; this one is ${strategy.mode}`);
  }
}

function* checkConditions(
  { strategy, targets }: RoutingNode,
  path: Path,
  { saved, patterns, suggest }: StrategyOptions,
): Generator<Issue> {
  const here = [...path, 'strategy'];
  const names = new Set(targets?.flatMap(({ name }) => name ?? []));
  const noTarget = (name: string): string => `no target is named ${name}${didYouMean(suggest(name, names))}`;
  if (strategy?.conditions === undefined || strategy.conditions.length === 0) {
    yield problem([...here, 'conditions'], 'mode conditional needs conditions');
  }
  for (const [i, { query, then }] of (strategy?.conditions ?? []).entries()) {
    const parsed = parseQuery(query, [...here, 'conditions', i, 'query'], patterns);
    if (!parsed.ok) yield* parsed.error;
    if (!names.has(then)) yield problem([...here, 'conditions', i, 'then'], noTarget(then));
  }
  const fallback = strategy?.default;
  if (fallback === undefined) {
    if (saved) yield problem([...here, 'default'], 'a saved conditional config needs a default target');
  } else if (!names.has(fallback)) {
    yield problem([...here, 'default'], noTarget(fallback));
  }
}

/** Conditions find a target by its name. */
function* checkNames({ targets = [] }: RoutingNode, path: Path): Generator<Issue> {
  const first = new Map<string, number>();
  for (const [i, { name }] of targets.entries()) {
    if (name === undefined) continue;
    const before = first.get(name);
    if (before === undefined) first.set(name, i);
    else
      yield problem(
        [...path, 'targets', i, 'name'],
        `targets[${before}] has the same name; names of targets beside each other differ`,
      );
  }
}

function* checkMembers(node: RoutingNode, path: Path, { saved }: CheckOptions): Generator<Issue> {
  if (saved && node.onStatusCodes !== undefined) {
    yield problem([...path, 'onStatusCodes'], 'it belongs into strategy (fallback) or retry; here it has no effect');
  }
  if (node.customHost !== undefined && !HTTP_URL.test(node.customHost)) {
    yield problem([...path, 'customHost'], 'expected a URL that starts with http:// or https://');
  }
  for (const [i, text] of (node.dropParams ?? []).entries()) {
    const parsed = parseDropPath(text);
    if (!parsed.ok) yield problem([...path, 'dropParams', i], parsed.error);
  }
}

const PHASES: readonly CheckPhase[] = ['input', 'output'];

/** Guardrails that are written out: credentials of theirs would be readable in a resource. */
function checkHooks(node: RoutingNode, path: Path, { saved, patterns, suggest }: StrategyOptions): readonly Issue[] {
  return PHASES.flatMap((phase) => {
    const secrets = { literalCredentials: !saved, refuseSecretParameters: saved };
    const hooks = hooksOf(node, phase, { path, ...secrets, patterns, suggest });
    return hooks.ok ? [] : hooks.error;
  });
}

/** A leaf must name its provider; the root may leave that to the request: docs/behaviour/routing.md#which-provider-a-request-names. */
function* checkLeaf(node: RoutingNode, path: Path, { saved, suggest }: StrategyOptions): Generator<Issue> {
  if (node.provider === undefined || node.provider.startsWith('@')) {
    const hasProvider = managedSlugOf(node) !== undefined || node.passthrough === true || node.promptId !== undefined;
    if (!hasProvider && path.length > 0)
      yield problem(path, 'a target needs provider, virtualKey, passthrough or targets');
    return;
  }
  const provider = PROVIDER_CATALOGUE.get(node.provider);
  if (provider === undefined) {
    const near = suggest(node.provider, PROVIDER_CATALOGUE.keys());
    yield problem([...path, 'provider'], `unknown provider ${node.provider}${didYouMean(near)}`);
    return;
  }
  if (!saved) yield* unservedSettings(node, provider, path); // those of resources are checked with all their settings
  const has = (key: string) => hasField(node, provider, key);
  for (const message of fieldProblems(provider, has)) yield problem(path, message);
  const authenticated =
    canAuthenticate(provider, has) || node.customHost !== undefined || (node.forwardHeaders?.length ?? 0) > 0;
  if (!authenticated) yield problem([...path, 'provider'], `provider ${provider.id} needs a credential`);
}

function* unservedSettings({ settings }: RoutingNode, { fields }: ProviderEntry, path: Path): Generator<Issue> {
  for (const { key, unserved } of fields) {
    if (unserved === undefined || settings?.[key] === undefined) continue;
    yield { code: 'unsupported', path: [...path, key], message: `${unserved} not part of this version` };
  }
}

/** The secret fields of a stored credential are known only where Secrets are read: here any of them may be present. */
function hasField(node: RoutingNode, provider: ProviderEntry, key: string): boolean {
  if (node.credential !== undefined && secretFieldsOf(provider).includes(key)) return true;
  if (key === API_KEY) return node.apiKey !== undefined;
  if (key === 'custom_host') return node.customHost !== undefined;
  if (key === 'deployments') return node.deployments !== undefined;
  return node.settings?.[key] !== undefined;
}
