/** From what guardrails said to feedback on the trace of the request: docs/behaviour/request-logs.md#feedback-of-guardrails. */
import { boundMetadata } from '@gatehouse/crds/logs';
import type { CallerFacts, GuardrailFacts, TraceContext } from '../../record/index.ts';
import { withoutSecrets } from '../../telemetry/index.ts';
import type { LogFeedback } from '../request-log.ts';
import { storableText } from '../rows/texts.ts';

/** Of one request: hooks run again for each target. */
const MAX_FEEDBACK = 64;
/** As rows have it, in characters. */
const MAX_TRACE_ID = 256;
const MAX_VALUE = 128;
/** Longest list of names of checks, in characters. */
const MAX_CHECK_NAMES = 1_024;
/** What the gateway says itself. */
const CHECK_NAMES = ['successfulChecks', 'failedChecks', 'erroredChecks'] as const;
const NONE: readonly LogFeedback[] = [];

export interface JudgedRequest {
  readonly trace: Pick<TraceContext, 'traceId'>;
  readonly caller: Pick<CallerFacts, 'workspace' | 'keyId' | 'user'>;
  readonly guardrails: readonly GuardrailFacts[];
}

/** One for each guardrail that gave one to keep. */
export function feedbackOfGuardrails({ trace, caller, guardrails }: JudgedRequest): readonly LogFeedback[] {
  const judging = guardrails.flatMap(({ id: guardrail, feedback, startedAtMs }) =>
    feedback?.id === undefined ? [] : [{ ...feedback, id: feedback.id, guardrail, startedAtMs }],
  );
  if (judging.length === 0) return NONE;
  const traceId = storableText(trace.traceId, MAX_TRACE_ID);
  return judging.slice(0, MAX_FEEDBACK).map(({ id, value, weight, metadata, guardrail, startedAtMs }) => ({
    id,
    workspace: caller.workspace,
    trace_id: traceId,
    value: Math.round(value), // configs of requests may have others than whole numbers
    weight,
    metadata: metadataOf(metadata),
    api_key: caller.keyId,
    key_user: caller.user ?? null,
    guardrail: storableText(guardrail, MAX_VALUE),
    created_at: Math.floor(startedAtMs),
  }));
}

function metadataOf(given: Readonly<Record<string, unknown>>): LogFeedback['metadata'] {
  const out: Record<string, string> = Object.create(null); // names may come from clients
  const bound = withoutSecrets(boundMetadata(given));
  for (const name of Object.keys(bound))
    out[storableText(name, MAX_VALUE)] = storableText(String(bound[name]), MAX_VALUE);
  for (const name of CHECK_NAMES) out[name] = storableText(String(given[name] ?? ''), MAX_CHECK_NAMES);
  return out;
}
