/** Why an attempt went where it went: docs/behaviour/request-logs.md. */
import type { LogDecision, LogGuardrail } from '@gatehouse/crds/logs';
import type { AttemptFacts, DecisionFacts, GuardrailFacts, RouteFacts } from '../../record/index.ts';
import { toLogUsage } from './usage.ts';

/** Verdicts of each kind that are kept. */
const MAX_VERDICTS = 64;
/** Checks that are named of one guardrail. */
const MAX_CHECKS = 16;

export interface Decided {
  readonly route: Pick<RouteFacts, 'configGeneration'>;
  readonly decisions: DecisionFacts;
  /** Undefined: no target was tried. */
  readonly attempt: AttemptFacts | undefined;
  /** Those that looked at the attempt. */
  readonly guardrails: readonly GuardrailFacts[];
  /** What is decided once for a request stands in its last row. */
  readonly isFinal: boolean;
}

export function decisionOf({
  route: { configGeneration },
  decisions,
  attempt,
  guardrails,
  isFinal,
}: Decided): LogDecision {
  const limits = isFinal ? decisions.limits.verdicts().slice(0, MAX_VERDICTS) : [];
  const dropped = attempt?.droppedParams ?? [];
  const usage = attempt && toLogUsage(attempt);
  return {
    ...(configGeneration === undefined ? undefined : { config_generation: configGeneration }),
    calls: attempt?.calls ?? 0,
    ...(isFinal && decisions.attemptsExhausted ? { attempts_exhausted: true } : undefined),
    ...(limits.length === 0 ? undefined : { limits: limits.map(({ id, passed }) => ({ id, passed })) }),
    ...(guardrails.length === 0 ? undefined : { guardrails: guardrails.slice(0, MAX_VERDICTS).map(toVerdict) }),
    ...(dropped.length === 0 ? undefined : { dropped_params: dropped }),
    ...(attempt?.cost?.source === undefined ? undefined : { price: attempt.cost.source }),
    ...(usage === undefined ? undefined : { usage }),
  };
}

function toVerdict({
  id,
  phase,
  verdict,
  denied,
  mode,
  transformed,
  durationMs,
  checks,
  feedback,
}: GuardrailFacts): LogGuardrail {
  const failed = checks.filter((check) => !check.verdict && check.error === undefined);
  const errored = checks.filter((check) => check.error !== undefined);
  return {
    id,
    phase,
    verdict,
    ...(denied && mode === 'enforce' ? { denied } : undefined),
    ...(transformed ? { transformed } : undefined),
    ms: Math.round(durationMs * 100) / 100,
    ...(failed.length === 0 ? undefined : { failed: namesOf(failed) }),
    ...(errored.length === 0 ? undefined : { errored: namesOf(errored) }),
    ...(feedback?.id === undefined ? undefined : { feedback: feedback.id }),
  };
}

const namesOf = (checks: GuardrailFacts['checks']): readonly string[] =>
  checks.slice(0, MAX_CHECKS).map(({ id }) => id);
