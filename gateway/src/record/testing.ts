/** Records for the tests of sinks. */
import { readUsage } from '../usage/index.ts';
import { type AttemptFacts, type GuardrailFacts, NO_GUARDRAILS, NO_VERDICTS, type RequestRecord } from './record.ts';

/** A good attempt with usage. */
export const sampleAttempt = (over: Partial<AttemptFacts> = {}): AttemptFacts => ({
  provider: 'openai',
  model: 'gpt',
  answeredModel: 'gpt-2025',
  droppedParams: [],
  status: 200,
  error: undefined,
  cache: undefined,
  calls: 1,
  startedAtMs: 1,
  durationMs: 31.239,
  upstreamMs: 30.116,
  usage: readUsage({
    prompt_tokens: 3,
    completion_tokens: 4,
    completion_tokens_details: { reasoning_tokens: 2 },
  }),
  prices: undefined,
  cost: { nanoDollars: 2_500, unpriced: false, estimated: false },
  ...over,
});

/** A guardrail whose only check let the request pass. */
export const sampleGuardrail = (over: Partial<GuardrailFacts> = {}): GuardrailFacts => ({
  target: 'config',
  id: 'no-cards',
  versionId: undefined,
  type: 'guardrail',
  phase: 'input',
  verdict: true,
  denied: false,
  mode: 'enforce',
  async: false,
  transformed: false,
  startedAtMs: 2,
  durationMs: 1.5,
  feedback: undefined,
  checks: [{ id: 'default.contains', verdict: true, error: undefined, transformed: false, durationMs: 1 }],
  ...over,
});

export interface SampleParts {
  readonly attempts?: RequestRecord['attempts'];
  readonly answer?: Partial<RequestRecord['answer']>;
  readonly request?: Partial<RequestRecord['request']>;
  readonly decisions?: Partial<RequestRecord['decisions']>;
}

/** The record of a chat completion; the parts are merged into it. */
export function sampleRecord({
  attempts = [sampleAttempt()],
  answer,
  request,
  decisions,
}: SampleParts = {}): RequestRecord {
  return {
    request: {
      trace: { traceId: 't', spanId: 's', parentSpanId: 'p', spanName: 'chat' },
      method: 'POST',
      path: '/v1/chat/completions',
      operation: 'chatComplete',
      startedAtMs: 1,
      bytes: 10,
      metadata: { team: 'a' },
      headers: () => [
        ['x-own', 'a-long-value-to-mask'],
        ['accept', 'application/json'],
      ],
      sensitiveHeaders: () => new Set(),
      ...request,
    },
    caller: { keyId: 'k', key: 'app', user: undefined, workspace: 'team-a' },
    route: { config: 'cheap', mode: 'single', optionPath: 'config' },
    decisions: {
      cache: undefined,
      retries: 0,
      attemptsExhausted: false,
      limits: NO_VERDICTS,
      guardrails: NO_GUARDRAILS,
      ...decisions,
    },
    attempts,
    answeredBy: attempts.at(-1),
    answer: {
      status: 200,
      bytes: 100,
      firstByteMs: 40.001,
      durationMs: 50.019,
      stream: false,
      error: undefined,
      snapshot: 3,
      ...answer,
    },
    clean: (text) => text,
  };
}
