import { describe, expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import { cleanRecord } from '../record/clean/index.ts';
import type { RequestRecord, SpanIdentity } from '../record/index.ts';
import { type SampleParts, sampleAttempt, sampleGuardrail, sampleRecord } from '../record/testing.ts';
import type { Span } from './span.ts';
import { type SpanOptions, spansOf } from './spans.ts';

const identity: SpanIdentity = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  parentId: 'c'.repeat(16),
  sampled: true,
  propagates: true,
  state: 'vendor=1',
};

const options: SpanOptions = {
  operations: new Map([['chatComplete', { genAi: 'chat', routeOf: () => '/v1/chat/completions' }]]),
  guardrails: true,
};

function spans(
  parts: SampleParts = {},
  { span = identity, ...more }: { span?: SpanIdentity } & Partial<SpanOptions> = {},
) {
  const record = sampleRecord(parts);
  const trace = { ...record.request.trace, span };
  return spansOf({ ...record, request: { ...record.request, trace } } satisfies RequestRecord, { ...options, ...more });
}

const requestOf = (parts?: SampleParts): Span | undefined => spans(parts)[0];
const attemptOf = (parts?: SampleParts): Span | undefined => spans(parts)[1];

describe('the span of an attempt', () => {
  test('has no credential among what it was asked with and how its answer ended', () => {
    const key = `gwk_${'A'.repeat(40)}`;
    const asked = { seed: 7, stop: ['END', key], encodings: [key], conversation: key };
    for (const call of [{ asked }, { ended: { id: key, finishReasons: ['stop', key] } }]) {
      const record = sampleRecord({ attempts: [sampleAttempt(call)] });
      const trace = { ...record.request.trace, span: identity };
      const clean = cleanRecord(record, { trace, metadata: {}, user: undefined });
      const made = JSON.stringify(spansOf({ ...clean, request: { ...clean.request, trace } }, options));
      expect(made).toContain('[redacted]');
      expect(made).toContain('asked' in call ? 'END' : 'stop');
      expect(made).not.toContain(key);
    }
  });

  test('has what it was asked with and how its answer ended', () => {
    const asked = {
      ...{ maxTokens: 7, temperature: 0.5, topP: 1, topK: 3, frequencyPenalty: -1, presencePenalty: 2, seed: 4 },
      ...{ choices: 2, stop: ['END', 'x'.repeat(1_000)], encodings: ['float'], output: 'json' as const },
      conversation: 'conv_1',
    };
    const ended = { id: 'chatcmpl-1', finishReasons: ['stop', 'tool_call'] };
    expect(attemptOf({ attempts: [sampleAttempt({ asked, ended })] })?.attributes).toMatchObject({
      'gen_ai.request.max_tokens': 7,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.top_p': 1,
      'gen_ai.request.top_k': 3,
      'gen_ai.request.frequency_penalty': -1,
      'gen_ai.request.presence_penalty': 2,
      'gen_ai.request.seed': 4,
      'gen_ai.request.choice.count': 2,
      'gen_ai.request.stop_sequences': ['END', 'x'.repeat(256)],
      'gen_ai.request.encoding_formats': ['float'],
      'gen_ai.output.type': 'json',
      'gen_ai.conversation.id': 'conv_1',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.finish_reasons': ['stop', 'tool_call'],
    });
  });

  test('has nothing of what is not known', () => {
    const ended = { id: undefined, finishReasons: [] };
    const names = Object.keys(attemptOf({ attempts: [sampleAttempt({ asked: {}, ended })] })?.attributes ?? {});
    expect(names).toContain('gen_ai.request.model');
    expect(names.filter((name) => /seed|conversation|response\.(id|finish)/.test(name))).toEqual([]);
  });
});

describe('the span of a request', () => {
  test('is that of its trace, from its first byte to its last', () => {
    expect(requestOf()).toMatchObject({
      traceId: identity.traceId,
      spanId: identity.spanId,
      parentId: identity.parentId,
      remoteParent: true,
      state: 'vendor=1',
      name: 'POST /v1/chat/completions',
      kind: 'server',
      startMs: 1,
      endMs: 51.019,
    });
  });

  test.for([
    { status: 200, failed: false, error: undefined },
    { status: 429, failed: false, error: undefined },
    { status: 500, failed: true, error: '500' },
  ])('of an answer with $status has failed: $failed', ({ status, failed, error }) => {
    const span = requestOf({ answer: { status } });
    expect(span?.failed).toBe(failed);
    expect(span?.attributes['error.type']).toBe(error);
  });

  test('names an error by its code, without the text of its message', () => {
    const error = new AppError('KEY_INVALID', { detail: 'quoted text' });
    const span = requestOf({ answer: { status: 401, error } });
    expect(span?.attributes['error.type']).toBe('KEY_INVALID');
    expect(JSON.stringify(span)).not.toContain('quoted text');
  });

  test('has the metadata, without what is named like a secret', () => {
    const span = requestOf({ request: { metadata: { team: 'a', token: 'sk-1' } } });
    expect(span?.attributes).toMatchObject({
      'gatehouse.metadata.team': 'a',
      'gatehouse.metadata.token': '[redacted]',
    });
  });

  test('is named by its method where the operation has several paths', () => {
    expect(spans({ request: { operation: 'proxy' } })[0]).toMatchObject({ name: 'POST' });
  });

  test('has cut texts', () => {
    expect(requestOf({ request: { path: `/${'x'.repeat(1_000)}` } })?.attributes['url.path']).toHaveLength(256);
  });
});

test('a trace that is not sampled, or no trace, has no spans', () => {
  expect(spans({}, { span: { ...identity, sampled: false } })).toEqual([]);
  expect(spansOf(sampleRecord(), options)).toEqual([]);
});

describe('the span of an attempt', () => {
  test('is a child of that of the request, with the names of the conventions for GenAI', () => {
    const attempt = sampleAttempt({ spanId: 'd'.repeat(16), origin: 'https://api.example:8443', provider: 'bedrock' });
    expect(attemptOf({ attempts: [attempt] })).toMatchObject({
      spanId: 'd'.repeat(16),
      parentId: identity.spanId,
      remoteParent: false,
      name: 'chat gpt',
      kind: 'client',
      startMs: 1,
      endMs: expect.closeTo(32.239),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'aws.bedrock',
        'gen_ai.request.model': 'gpt',
        'gen_ai.response.model': 'gpt-2025',
        'gen_ai.usage.input_tokens': 3,
        'gen_ai.usage.output_tokens': 4,
        'gen_ai.usage.reasoning.output_tokens': 2,
        'server.address': 'api.example',
        'server.port': 8443,
        'gatehouse.cost.usd': 0.000_002_5,
      },
    });
  });

  test.for([
    { origin: 'https://api.example', port: 443 },
    { origin: 'http://api.example', port: 80 },
    { origin: undefined, port: undefined },
  ])('to $origin is to the port $port', ({ origin, port }) => {
    expect(attemptOf({ attempts: [sampleAttempt({ origin })] })?.attributes['server.port']).toBe(port);
  });

  test('has an id of its own where the attempt ended before it got one', () => {
    expect(attemptOf()?.spanId).toMatch(/^[0-9a-f]{16}$/);
  });

  test.for([
    { rule: 'an error', over: { status: 401, error: new AppError('KEY_INVALID') }, type: 'KEY_INVALID' },
    { rule: 'a status of the provider', over: { status: 429 }, type: '429' },
  ])('has failed for $rule', ({ over, type }) => {
    const span = attemptOf({ attempts: [sampleAttempt(over)] });
    expect(span).toMatchObject({ failed: true, attributes: { 'error.type': type } });
  });

  test('that called nobody is no client', () => {
    const span = attemptOf({ attempts: [sampleAttempt({ calls: 0, cache: 'HIT' })] });
    expect(span).toMatchObject({ kind: 'internal', attributes: { 'gatehouse.cache.status': 'HIT' } });
  });

  test('whose stream was relayed ends with the answer, earlier ones when they ended', () => {
    const attempts = [sampleAttempt({ status: 500 }), sampleAttempt()];
    const [request, failed, relayed] = spans({ attempts, answer: { stream: true } });
    expect(relayed?.endMs).toBe(request?.endMs);
    expect(failed?.endMs).toBeCloseTo(32.239);
    expect(relayed?.attributes['gen_ai.response.time_to_first_chunk']).toBeCloseTo(0.031_239);
  });

  test('of an operation without a GenAI name has its id, and needs no model', () => {
    const attempts = [sampleAttempt({ model: undefined, provider: 'no-such' })];
    const [, span] = spans({ attempts, request: { operation: 'proxy' } });
    expect(span).toMatchObject({ name: 'proxy', attributes: { 'gen_ai.provider.name': 'no-such' } });
  });
});

describe('the span of a step', () => {
  const step = { startedAtMs: 2, durationMs: 0.5, error: undefined } as const;

  test('of a target is a child of its attempt, with what the cache said', () => {
    const attempts = [sampleAttempt({ target: 'config', spanId: 'd'.repeat(16) })];
    const steps = [{ ...step, kind: 'cache', target: 'config', cache: 'MISS' } as const];
    expect(spans({ attempts, decisions: { steps } })[2]).toMatchObject({
      ...{ name: 'gatehouse.cache.lookup', kind: 'internal', parentId: 'd'.repeat(16), traceId: identity.traceId },
      ...{ startMs: 2, endMs: 2.5, failed: false },
      attributes: { 'gatehouse.cache.status': 'MISS', 'gatehouse.target': 'config' },
    });
  });

  test('before the targets is a child of the request, and names the limit that had no room', () => {
    const error = new AppError('KEY_EXPIRED', { detail: 'quoted text' });
    const steps = [{ ...step, kind: 'limits', target: undefined, refusedBy: 'key/app requests rpm', error } as const];
    const made = spans({ attempts: [], decisions: { steps } });
    expect(made[1]).toMatchObject({
      ...{ name: 'gatehouse.limits.check', parentId: identity.spanId, failed: true },
      attributes: {
        'gatehouse.limits.passed': false,
        'gatehouse.limits.refused_by': 'key/app requests rpm',
        'error.type': 'KEY_EXPIRED',
      },
    });
    expect(JSON.stringify(made)).not.toContain('quoted text');
  });
});

describe('the span of a guardrail', () => {
  const checks = [
    { id: 'default.pii', verdict: false, error: undefined, transformed: true, durationMs: 1 },
    { id: 'default.webhook', verdict: false, error: 'TimeoutError', transformed: false, durationMs: 99 },
  ];

  test('is a child of that of the request, with an event for each check', () => {
    const guardrails = [sampleGuardrail({ verdict: false, denied: true, checks })];
    expect(spans({ decisions: { guardrails } })[2]).toMatchObject({
      parentId: identity.spanId,
      name: 'gw.guardrail.input',
      kind: 'internal',
      startMs: 2,
      endMs: 3.5,
      attributes: {
        'gw.guardrail.id': 'no-cards',
        'gw.guardrail.phase': 'input',
        'gw.guardrail.verdict': false,
        'gw.guardrail.action': 'deny',
        'gw.guardrail.deny': true,
        'gw.guardrail.async': false,
        'gw.guardrail.mode': 'enforce',
      },
      events: [
        { name: 'gw.guardrail.check', timeMs: 3, attributes: { 'gw.guardrail.check.id': 'default.pii' } },
        { timeMs: 3.5, attributes: { 'gw.guardrail.check.verdict': false, 'error.type': 'TimeoutError' } },
      ],
    });
  });

  test.for([
    { rule: 'transform', facts: { transformed: true }, action: 'transform' },
    { rule: 'none', facts: {}, action: 'none' },
  ])('says what followed: $rule', ({ facts, action }) => {
    const guardrails = [sampleGuardrail(facts)];
    expect(spans({ decisions: { guardrails } })[2]?.attributes['gw.guardrail.action']).toBe(action);
  });

  test('is not made where it is not asked for', () => {
    const guardrails = [sampleGuardrail()];
    expect(spans({ decisions: { guardrails } }, { guardrails: false })).toHaveLength(2);
  });

  test('has as many events as a span may have', () => {
    const many = Array.from({ length: 200 }, () => ({ ...sampleGuardrail().checks[0], id: 'c' }));
    const guardrails = [sampleGuardrail({ checks: many as never })]; // of the shape above
    expect(spans({ decisions: { guardrails } })[2]?.events).toHaveLength(128);
  });
});
