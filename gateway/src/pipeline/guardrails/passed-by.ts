/** Guardrails of calls that no guardrail looks at: docs/behaviour/realtime.md#before-the-session. */
import type { CheckPhase } from '@gatehouse/crds/guardrails';
import { type CompiledHook, overrideHook } from '../../guardrails/index.ts';
import type { HookSource, Leaf } from '../../routing/index.ts';
import { type GuardedRequest, namedGuardrail } from './named-guardrails.ts';

const PHASES: readonly CheckPhase[] = ['input', 'output'];

/** Whether a guardrail over the target would deny or change calls of other operations. One that does not exist counts. */
export const arePassedBy = (request: GuardedRequest, leaf: Leaf): boolean =>
  PHASES.some((phase) => hasActing(request, leaf, phase));

function hasActing(request: GuardedRequest, leaf: Leaf, phase: CheckPhase): boolean {
  const { exchange, caller } = request;
  const { hooks, missing } = exchange.snapshot.defaultHooks(caller.workspace.name, phase);
  if (missing.length > 0 || hooks.some(acts)) return true;
  return leaf.settings.hooks?.[phase].some((source) => mayAct(request, source)) === true;
}

function mayAct(request: GuardedRequest, source: HookSource): boolean {
  if (source.kind === 'inline') return acts(source.hook);
  const record = namedGuardrail(request, source.slug);
  return record === undefined || acts(overrideHook(record.hook, source.actions));
}

/** Asynchronous ones, and those in mode monitor, neither deny nor change. */
const acts = ({ async, mode, deny, transforms }: CompiledHook): boolean =>
  !async && mode !== 'monitor' && (deny || transforms);
