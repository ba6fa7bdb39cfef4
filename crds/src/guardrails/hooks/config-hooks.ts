/** Which members of a config node hold hooks, and in which order they run: docs/behaviour/guardrails.md#hooks-in-configs. */
import { err, ok, type Result } from '../../lib/result.ts';
import type { Issue } from '../../schema/index.ts';
import type { CheckPhase } from '../check.ts';
import type { HookSpec } from './hook-spec.ts';
import { MAX_CHECKS, MAX_HOOKS, type ParseHooksOptions, parseHooks } from './parse-hooks.ts';

/** The members in the order of their hooks. */
export const HOOK_MEMBERS = {
  input: ['beforeRequestHooks', 'inputGuardrails', 'inputMutators'],
  output: ['afterRequestHooks', 'outputGuardrails', 'outputMutators'],
} as const satisfies Record<CheckPhase, readonly string[]>;

type HookMember = (typeof HOOK_MEMBERS)[CheckPhase][number];

/** A config node as far as hooks go; the lists are as the document has them. */
export type NodeWithHooks = Readonly<Partial<Record<HookMember, readonly unknown[] | undefined>>>;

/** Whether a node declares hooks of a direction itself; an empty list declares that there are none. */
export const declaresHooks = (node: NodeWithHooks, phase: CheckPhase): boolean =>
  HOOK_MEMBERS[phase].some((member) => node[member] !== undefined);

type NodeOptions = Omit<ParseHooksOptions, 'phase' | 'type'>;

/** The hooks of one direction that a node declares, in their order. */
export function hooksOf(
  node: NodeWithHooks,
  phase: CheckPhase,
  options: NodeOptions,
): Result<readonly HookSpec[], readonly Issue[]> {
  const hooks: HookSpec[] = [];
  const issues: Issue[] = [];
  for (const member of HOOK_MEMBERS[phase]) {
    const type = member.endsWith('Mutators') ? 'mutator' : 'guardrail';
    const parsed = parseHooks(node[member], { ...options, path: [...options.path, member], phase, type });
    if (parsed.ok) hooks.push(...parsed.value);
    else issues.push(...parsed.error);
  }
  const checks = hooks.reduce((sum, hook) => sum + (hook.checks?.length ?? 0), 0);
  if (hooks.length > MAX_HOOKS || checks > MAX_CHECKS) {
    const message = `${hooks.length} hooks with ${checks} checks on the ${phase}; at most ${MAX_HOOKS} and ${MAX_CHECKS}`;
    issues.push({ code: 'invalid', path: options.path, message });
  }
  return issues.length > 0 ? err(issues) : ok(hooks);
}
