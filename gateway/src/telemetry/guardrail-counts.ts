/** Counts of guardrails and their checks: every check of every request is counted, so the series are looked up once. */
import type { GuardrailCheckFacts, GuardrailFacts } from '../record/index.ts';
import type { Metrics } from './metrics.ts';

type GuardrailMetrics = Pick<Metrics, 'guardrails' | 'guardrailChecks' | 'guardrailCheckDuration'>;

type Outcome = 'passed' | 'failed' | 'error';

/** The series of one check in one phase and mode, of the outcomes that it has had. */
interface CheckSeries {
  readonly counts: Partial<Record<Outcome, ReturnType<GuardrailMetrics['guardrailChecks']['of']>>>;
  readonly duration: ReturnType<GuardrailMetrics['guardrailCheckDuration']['of']>;
}

/** By check and not by guardrail: the ids of guardrails are made up by tenants, those of checks are of the catalogue. */
export function createGuardrailCounts(metrics: GuardrailMetrics): (facts: GuardrailFacts) => void {
  const known = {
    input: { enforce: new Map<string, CheckSeries>(), monitor: new Map<string, CheckSeries>() },
    output: { enforce: new Map<string, CheckSeries>(), monitor: new Map<string, CheckSeries>() },
  };
  const seriesOf = (check: string, all: Map<string, CheckSeries>): CheckSeries => {
    let series = all.get(check);
    if (series === undefined) {
      series = { counts: {}, duration: metrics.guardrailCheckDuration.of({ check }) };
      all.set(check, series);
    }
    return series;
  };
  return ({ phase, mode, verdict, denied, checks }) => {
    metrics.guardrails.add({ phase, verdict: denied ? 'denied' : verdictOf(verdict), mode });
    for (const check of checks) {
      const { counts, duration } = seriesOf(check.id, known[phase][mode]);
      const outcome = outcomeOf(check);
      counts[outcome] ??= metrics.guardrailChecks.of({ check: check.id, phase, verdict: outcome, mode });
      counts[outcome].add();
      duration.observe(check.durationMs / 1000);
    }
  };
}

const outcomeOf = ({ error, verdict }: GuardrailCheckFacts): Outcome =>
  error === undefined ? verdictOf(verdict) : 'error';

const verdictOf = (verdict: boolean): Outcome => (verdict ? 'passed' : 'failed');
