/** The hooks of a config node, compiled: docs/behaviour/guardrails.md#hooks-in-configs. */

import { formatPath } from '@gatehouse/crds';
import type { RoutingNode } from '@gatehouse/crds/config';
import { type CheckPhase, checkEntryOf, declaresHooks, type HookSpec, hooksOf } from '@gatehouse/crds/guardrails';
import { CHECKS, type CompiledHook, compileHook, UnknownCheck } from '../guardrails/index.ts';
import { patternBytes } from '../lib/regex.ts';
import type { HookSource, LeafHooks } from './plan.ts';

/** Hooks that cannot be compiled: a config is never used without its hooks. */
export class HooksUnusable extends Error {
  override readonly name = 'HooksUnusable';
}

export interface HookContext {
  /** Which hosts their checks may call. */
  readonly scope: CompiledHook['scope'];
  /** Whether the hooks may bring credentials: those of requests may. */
  readonly literalCredentials: boolean;
  /** Where the node is, for errors. */
  readonly path: string;
  readonly found: {
    /** Slugs of stored guardrails. */
    readonly guardrails: Set<string>;
    patternBytes: number;
  };
}

const NONE: readonly HookSource[] = [];

/** Those of a node: of each direction its own, also an empty list, else those of its parent. Throws HooksUnusable. */
export function inheritHooks(
  parent: LeafHooks | undefined,
  node: RoutingNode,
  context: HookContext,
): LeafHooks | undefined {
  const ownInput = declaresHooks(node, 'input');
  const ownOutput = declaresHooks(node, 'output');
  if (!ownInput && !ownOutput) return parent;
  const input = ownInput ? compileHooks(node, 'input', context) : (parent?.input ?? NONE);
  const output = ownOutput ? compileHooks(node, 'output', context) : (parent?.output ?? NONE);
  return input.length === 0 && output.length === 0 ? undefined : { input, output };
}

function compileHooks(node: RoutingNode, phase: CheckPhase, context: HookContext): readonly HookSource[] {
  const { literalCredentials, path } = context;
  const parsed = hooksOf(node, phase, { path: [], literalCredentials, patterns: 'checked' });
  if (!parsed.ok) {
    const [issue] = parsed.error;
    throw new HooksUnusable(`${path}: ${formatPath(issue?.path ?? [])}: ${issue?.message ?? ''}`);
  }
  return parsed.value.map((spec, i) => toSource(spec, `${phase}_${spec.type}_${i + 1}`, context));
}

function toSource(spec: HookSpec, id: string, { scope, path, found }: HookContext): HookSource {
  const { ref, checks = [], id: _id, type: _type, versionId: _version, ...actions } = spec;
  if (ref !== undefined) {
    found.guardrails.add(ref);
    return { kind: 'stored', slug: ref, actions };
  }
  for (const { id: check, parameters } of checks) {
    for (const pattern of checkEntryOf(check)?.patterns?.(parameters) ?? [])
      found.patternBytes += patternBytes(pattern);
  }
  try {
    return { kind: 'inline', hook: compileHook(spec, { checks: CHECKS, id, scope }) };
  } catch (error) {
    const why = error instanceof UnknownCheck ? error.message : 'its parameters cannot be used';
    throw new HooksUnusable(`${path}: the guardrail ${spec.id ?? id}: ${why}`);
  }
}
