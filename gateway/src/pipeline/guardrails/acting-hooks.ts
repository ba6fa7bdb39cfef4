/** Which hooks run for a target of a request: docs/behaviour/guardrails.md#order. */
import { hash } from 'node:crypto';
import type { CheckPhase } from '@gatehouse/crds/guardrails';
import { AppError } from '../../errors/index.ts';
import { type CompiledHook, overrideHook, type RequestType } from '../../guardrails/index.ts';
import type { HookSource, Leaf } from '../../routing/index.ts';
import type { SnapshotView } from '../../snapshot/index.ts';
import { type GuardedRequest, namedGuardrail, typeOf, unknownGuardrails } from './named-guardrails.ts';

/** The hooks of one target: those of its config, then those of the organisation and of the workspace. */
export interface ActingHooks {
  /** They act before the call. */
  readonly input: readonly CompiledHook[];
  /** They act on the answer. */
  readonly output: readonly CompiledHook[];
  /** Asynchronous, or in mode monitor: they run after the answer. */
  readonly watchedInput: readonly CompiledHook[];
  readonly watchedOutput: readonly CompiledHook[];
  readonly checkedAs: RequestType;
  /** Differs where the hooks that act on the answer do; empty where there are none. */
  readonly cacheSalt: string;
}

/** Most hooks and checks of one direction of a target. */
const MAX_HOOKS = 128;
const MAX_CHECKS = 512;

/** Nothing inside these requests is looked at: they pass as they are, or hold what is to be judged by what they ask for. */
const UNREAD: ReadonlySet<RequestType> = new Set([
  ...(['proxy', 'moderate', 'imageEdit', 'imageVariation', 'createTranscription', 'createTranslation'] as const),
]);

/** Their answers are not looked at. */
const INPUT_ONLY: ReadonlySet<RequestType> = new Set([
  ...(['embed', 'rerank', 'imageGenerate', 'createSpeech', 'createBatch', 'createFinetune'] as const),
  ...UNREAD,
]);

/** Undefined: nothing to run. Throws CONFIG_INVALID where they are too many, and NEEDS_FLEET for those that cannot run here. */
export function actingHooks(request: GuardedRequest, leaf: Leaf): ActingHooks | undefined {
  const { exchange, caller } = request;
  const checkedAs = typeOf(request);
  if (checkedAs === undefined) return undefined;
  const { snapshot } = exchange;
  const { name } = caller.workspace;
  const hasDefaults =
    snapshot.defaultHooks(name, 'input').hooks.length + snapshot.defaultHooks(name, 'output').hooks.length > 0;
  if (leaf.settings.hooks === undefined && !hasDefaults) return undefined;
  const known = knownHooks(snapshot, leaf);
  const key = `${checkedAs} ${name}`;
  const found = known.get(key);
  if (found !== undefined) return found ?? undefined;
  const hooks = collect(request, leaf, checkedAs);
  known.set(key, hooks ?? null);
  return hooks;
}

/** By request type and workspace; null: nothing to run. */
type KnownHooks = Map<string, ActingHooks | null>;

// A memo of a pure function: it ends with the Snapshot, or with the config.
const memo = new WeakMap<SnapshotView, WeakMap<Leaf, KnownHooks>>();

function knownHooks(snapshot: SnapshotView, leaf: Leaf): KnownHooks {
  const leaves = memo.get(snapshot) ?? new WeakMap<Leaf, KnownHooks>();
  const known = leaves.get(leaf) ?? new Map<string, ActingHooks | null>();
  memo.set(snapshot, leaves);
  leaves.set(leaf, known);
  return known;
}

function collect(request: GuardedRequest, leaf: Leaf, checkedAs: RequestType): ActingHooks | undefined {
  const input = hooksOf(request, leaf, 'input');
  const output = INPUT_ONLY.has(checkedAs) ? [] : hooksOf(request, leaf, 'output');
  const runs = ({ type, async }: CompiledHook): boolean => type !== 'mutator' || (checkedAs !== 'embed' && !async);
  const acting = {
    input: (UNREAD.has(checkedAs) ? input.flatMap(ofTheRequest) : input).filter(runs),
    output: output.filter(runs),
  };
  if (acting.input.length + acting.output.length === 0) return undefined;
  const kept = acting.output.filter((hook) => !isWatched(hook));
  return {
    input: acting.input.filter((hook) => !isWatched(hook)),
    output: kept,
    watchedInput: acting.input.filter(isWatched),
    watchedOutput: acting.output.filter(isWatched),
    checkedAs,
    cacheSalt: kept.length === 0 ? '' : hash('sha256', JSON.stringify(kept.map(({ identity }) => identity)), 'base64'),
  };
}

/** A hook with those of its checks that look at requests nothing inside of which is looked at. */
function ofTheRequest(hook: CompiledHook): readonly CompiledHook[] {
  const checks = hook.checks.filter(({ entry }) => entry.proxied === true);
  return checks.length === 0 ? [] : [{ ...hook, checks }];
}

const isWatched = ({ async, mode }: CompiledHook): boolean => async || mode === 'monitor';

function hooksOf(request: GuardedRequest, leaf: Leaf, phase: CheckPhase): readonly CompiledHook[] {
  const { exchange, caller } = request;
  const own = leaf.settings.hooks?.[phase].map((source) => hookOf(request, source)) ?? [];
  const hooks = [...own, ...exchange.snapshot.defaultHooks(caller.workspace.name, phase).hooks];
  const checks = hooks.reduce((sum, hook) => sum + hook.checks.length, 0);
  if (hooks.length > MAX_HOOKS || checks > MAX_CHECKS) {
    const limits = `at most ${MAX_HOOKS} with ${MAX_CHECKS} run`;
    throw new AppError('CONFIG_INVALID', {
      detail: `${hooks.length} guardrails with ${checks} checks on the ${phase} of ${leaf.path}, those that apply by default included; ${limits}`,
    });
  }
  if (hooks.some(({ needsFleet }) => needsFleet)) throw new AppError('NEEDS_FLEET');
  return hooks;
}

function hookOf(request: GuardedRequest, source: HookSource): CompiledHook {
  if (source.kind === 'inline') return source.hook;
  const record = namedGuardrail(request, source.slug);
  if (record === undefined) throw unknownGuardrails([source.slug], request);
  return overrideHook(record.hook, source.actions);
}
