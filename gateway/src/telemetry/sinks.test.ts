import { describe, expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import type { RequestRecord } from '../record/index.ts';
import { sampleAttempt, sampleGuardrail, sampleRecord } from '../record/testing.ts';
import { readUsage } from '../usage/index.ts';
import { createLogger, createLogSink, createMetrics, createMetricsSink } from './index.ts';

interface Given {
  readonly headersToMask?: readonly string[];
  readonly reasons?: boolean;
}

function logged(level: string, record: RequestRecord, { headersToMask = [], ...more }: Given = {}) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  createLogSink({ logger: createLogger({ level, service: 's', destination }), headersToMask, ...more }).record(record);
  return lines;
}

describe('the log of requests', () => {
  test('has one line of decisions, tokens and metadata', () => {
    expect(logged('info', sampleRecord())).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        service: 's',
        traceId: 't',
        spanId: 's',
        parentSpanId: 'p',
        spanName: 'chat',
        method: 'POST',
        path: '/v1/chat/completions',
        operation: 'chatComplete',
        status: 200,
        key: 'app',
        workspace: 'team-a',
        provider: 'openai',
        model: 'gpt',
        config: 'cheap',
        option: 'config',
        attempts: 1,
        retries: 0,
        stream: false,
        snapshot: 3,
        durationMs: 50.02,
        firstByteMs: 40,
        upstreamMs: 30.12,
        tokens: { input: 3, output: 4, cached: 0, reasoning: 2 },
        cost: { usd: 0.000_002_5 },
        metadata: { team: 'a' },
        msg: 'Request finished',
      },
    ]);
  });

  test('leaves out what is not known', () => {
    const request = { trace: { traceId: 't', spanId: undefined, parentSpanId: undefined, spanName: undefined } };
    const [line] = logged('info', sampleRecord({ attempts: [], request: { ...request, metadata: {} } }));
    for (const member of ['spanId', 'parentSpanId', 'spanName', 'metadata', 'tokens', 'provider', 'tries', 'error'])
      expect(line).not.toHaveProperty(member);
  });

  test('names the parameters that the provider does not have', () => {
    const attempt = sampleAttempt({ droppedParams: ['seed'] });
    const [, line] = logged('debug', sampleRecord({ attempts: [attempt] }));
    expect(line).toMatchObject({ droppedParams: ['seed'], tries: [{ droppedParams: ['seed'] }] });
    expect(logged('info', sampleRecord())[0]).not.toHaveProperty('droppedParams');
  });

  test('has the verdicts of guardrails, with the checks that failed and those that could not decide', () => {
    const checks = [
      { id: 'default.pii', verdict: false, error: undefined, transformed: false, durationMs: 1 },
      { id: 'default.regexMatch', verdict: true, error: undefined, transformed: false, durationMs: 1 },
      { id: 'default.webhook', verdict: false, error: 'TimeoutError', transformed: false, durationMs: 1 },
      { id: 'default.regexReplace', verdict: true, error: 'TypeError', transformed: false, durationMs: 1 },
    ];
    const guardrails = [sampleGuardrail(), sampleGuardrail({ id: 'no-pii', verdict: false, denied: true, checks })];
    expect(logged('info', sampleRecord({ decisions: { guardrails } }))[0]?.['guardrails']).toEqual([
      { id: 'no-cards', phase: 'input', verdict: true, durationMs: 1.5 },
      {
        ...{ id: 'no-pii', phase: 'input', verdict: false, denied: true, durationMs: 1.5 },
        ...{ failed: ['default.pii'], errored: ['default.webhook', 'default.regexReplace'] },
      },
    ]);
  });

  test('has a line for guardrails that ran after the answer', () => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const logger = createLogger({ level: 'info', service: 's', destination });
    const guardrails = [sampleGuardrail({ mode: 'monitor', phase: 'output' })];
    const { trace, headers } = sampleRecord().request;
    const caller = { keyId: 'key/team-a/main', key: 'main', user: undefined, workspace: 'team-a' };
    createLogSink({ logger, headersToMask: [] }).watched?.({ trace, caller, headers, guardrails });
    expect(lines).toMatchObject([
      { msg: 'Guardrails watched', traceId: 't', guardrails: [{ id: 'no-cards', phase: 'output', mode: 'monitor' }] },
    ]);
  });

  test('has the cost of all attempts, also of answers that were withheld', () => {
    const withheld = sampleAttempt({ status: 446, cost: { nanoDollars: 500, unpriced: false, estimated: true } });
    const [line] = logged('info', sampleRecord({ attempts: [withheld, sampleAttempt()] }));
    expect(line?.['cost']).toEqual({ usd: 0.000_003, estimated: true });
  });

  test('says what is not known of the cost', () => {
    const cost = { nanoDollars: 0, unpriced: true, estimated: true };
    const [line] = logged('info', sampleRecord({ attempts: [sampleAttempt({ cost })] }));
    expect(line?.['cost']).toEqual({ usd: 0, unpriced: true, estimated: true });
  });

  test('has no secret of the metadata', () => {
    const metadata = { token: 'sk-do-not-log', team: 'a' };
    expect(logged('info', sampleRecord({ request: { metadata } }))[0]).toMatchObject({
      metadata: { token: '[redacted]', team: 'a' },
    });
    expect(metadata.token).toBe('sk-do-not-log');
  });

  test('leaves out counts of tokens that are 0, and has those that are not', () => {
    const [reasoning, audio] = [0, { input: 1, output: 0, cached: 0 }];
    const usage = { ...readUsage({ prompt_tokens: 3 }), reasoning, cacheWrite: 2, audio };
    const [line] = logged('info', sampleRecord({ attempts: [sampleAttempt({ usage })] }));
    expect(line?.['tokens']).toEqual({ input: 3, output: 0, cached: 0, cacheWrite: 2, audio });
  });

  test('has every attempt, and the masked headers, at level debug', () => {
    const failed = sampleAttempt({
      provider: 'anthropic',
      status: 529,
      error: new AppError('UPSTREAM_OVERLOADED'),
      calls: 2,
    });
    const [received, line] = logged('debug', sampleRecord({ attempts: [failed, sampleAttempt()] }), {
      headersToMask: ['x-own'],
    });
    expect(received).toMatchObject({ msg: 'Request received', headers: { accept: 'application/json' } });
    expect(JSON.stringify(received)).not.toContain('value');
    expect(line?.['tries']).toEqual([
      {
        provider: 'anthropic',
        model: 'gpt',
        answeredModel: 'gpt-2025',
        status: 529,
        error: 'UPSTREAM_OVERLOADED',
        calls: 2,
        durationMs: 31.24,
        upstreamMs: 30.12,
      },
      expect.objectContaining({ provider: 'openai', status: 200 }),
    ]);
  });

  test('says why a request failed only where it is asked to', () => {
    const refused = sampleRecord({
      answer: { error: new AppError('PROVIDER_SLUG_UNKNOWN', { detail: 'there is no @sk-pasted' }) },
    });
    expect(JSON.stringify(logged('info', refused))).not.toContain('sk-pasted');
    expect(logged('info', refused, { reasons: true })[0]).toMatchObject({ reason: 'there is no @sk-pasted' });
    expect(logged('info', sampleRecord(), { reasons: true })[0]).not.toHaveProperty('reason');
  });

  test('has a line of its own for an error that is more than information', () => {
    const error = new AppError('INTERNAL');
    const lines = logged('warn', sampleRecord({ answer: { error } }));
    expect(lines).toMatchObject([{ level: 'error', err: { code: 'INTERNAL' }, traceId: 't', msg: 'Request failed' }]);
  });
});

describe('the metrics of requests', () => {
  async function counted(record: RequestRecord): Promise<string[]> {
    const metrics = createMetrics({ service: 's', environment: 'e', runtime: false });
    createMetricsSink(metrics).record(record);
    const text = (await metrics.text()).replaceAll(',app="s",env="e"', '').replaceAll('app="s",env="e"', '');
    return text.split('\n');
  }

  test('count requests, attempts, retries and tokens', async () => {
    const failed = sampleAttempt({ provider: 'anthropic', status: 500, usage: undefined, calls: 3 });
    const lines = await counted(sampleRecord({ attempts: [failed, sampleAttempt()], decisions: { cache: 'MISS' } }));
    expect(lines).toEqual(
      expect.arrayContaining([
        'gatehouse_requests_total{operation="chatComplete",provider="openai",status="200"} 1',
        'gatehouse_target_attempts_total{provider="anthropic",outcome="failure"} 1',
        'gatehouse_target_attempts_total{provider="openai",outcome="success"} 1',
        'gatehouse_retries_total{provider="anthropic"} 2',
        'gatehouse_tokens_total{provider="openai",type="input"} 3',
        'gatehouse_tokens_total{provider="openai",type="output"} 4',
        'gatehouse_cache_requests_total{verdict="MISS"} 1',
      ]),
    );
    expect(lines.some((line) => line.startsWith('gatehouse_attempts_exhausted_total{'))).toBe(false);
  });

  test('count what was spent, and what could not be priced or counted', async () => {
    const guessed = sampleAttempt({ cost: { nanoDollars: 0, unpriced: true, estimated: true } });
    const lines = await counted(sampleRecord({ attempts: [sampleAttempt(), guessed] }));
    expect(lines).toEqual(
      expect.arrayContaining([
        'gatehouse_cost_usd_total{provider="openai",workspace="team-a"} 0.0000025',
        'gatehouse_unpriced_answers_total{provider="openai"} 1',
        'gatehouse_estimated_usage_total{provider="openai"} 1',
      ]),
    );
  });

  test('count each error once, though attempt and answer share it', async () => {
    const error = new AppError('UPSTREAM_TIMEOUT');
    const lines = await counted(sampleRecord({ attempts: [sampleAttempt({ error })], answer: { error, status: 408 } }));
    expect(lines).toContain('gatehouse_errors_total{code="UPSTREAM_TIMEOUT"} 1');
  });

  test('count the errors of two targets as two, though they have the same code', async () => {
    const attempts = [1, 2].map(() => sampleAttempt({ error: new AppError('UPSTREAM_TIMEOUT') }));
    const lines = await counted(sampleRecord({ attempts, answer: { error: attempts[1]?.error, status: 408 } }));
    expect(lines).toContain('gatehouse_errors_total{code="UPSTREAM_TIMEOUT"} 2');
  });

  test('count guardrails by verdict, and their checks, never by the names that tenants give', async () => {
    const checks = [
      { id: 'default.pii', verdict: false, error: undefined, transformed: false, durationMs: 2 },
      { id: 'default.webhook', verdict: false, error: 'TimeoutError', transformed: false, durationMs: 5_000 },
    ];
    const denied = sampleGuardrail({ id: 'made-up', verdict: false, denied: true, checks });
    const lines = await counted(sampleRecord({ decisions: { guardrails: [sampleGuardrail(), denied] } }));
    expect(lines).toEqual(
      expect.arrayContaining([
        'gatehouse_guardrails_total{phase="input",verdict="passed",mode="enforce"} 1',
        'gatehouse_guardrails_total{phase="input",verdict="denied",mode="enforce"} 1',
        'gatehouse_guardrail_checks_total{check="default.pii",phase="input",verdict="failed",mode="enforce"} 1',
        'gatehouse_guardrail_checks_total{check="default.webhook",phase="input",verdict="error",mode="enforce"} 1',
        'gatehouse_guardrail_check_duration_seconds_sum{check="default.webhook"} 5',
      ]),
    );
    expect(lines.join()).not.toContain('made-up');
  });

  test('have one status for those that no standard knows', async () => {
    const lines = await counted(sampleRecord({ answer: { status: 999 }, attempts: [] }));
    expect(lines).toContain('gatehouse_requests_total{operation="chatComplete",provider="none",status="other"} 1');
  });
});
