import { describe, expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import { NO_VERDICTS, type RequestRecord } from '../record/index.ts';
import { readUsage } from '../usage/index.ts';
import { createLogger, createLogSink, createMetrics, createMetricsSink } from './index.ts';

const attempt = (over: Partial<RequestRecord['attempts'][number]> = {}): RequestRecord['attempts'][number] => ({
  provider: 'openai',
  model: 'gpt',
  answeredModel: 'gpt-2025',
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
  ...over,
});

interface Parts {
  readonly attempts?: RequestRecord['attempts'];
  readonly answer?: Partial<RequestRecord['answer']>;
  readonly request?: Partial<RequestRecord['request']>;
  readonly decisions?: Partial<RequestRecord['decisions']>;
}

function recordOf({ attempts = [attempt()], answer, request, decisions }: Parts = {}): RequestRecord {
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
      sensitiveHeaders: () => [],
      ...request,
    },
    caller: { keyId: 'k', key: 'app', user: undefined, workspace: 'team-a' },
    route: { config: 'cheap', mode: 'single', optionPath: 'config' },
    decisions: {
      cache: undefined,
      retries: 0,
      attemptsExhausted: false,
      limits: NO_VERDICTS,
      guardrails: NO_VERDICTS,
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
  };
}

function logged(level: string, record: RequestRecord, headersToMask: readonly string[] = []) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  createLogSink({ logger: createLogger({ level, service: 's', destination }), headersToMask }).record(record);
  return lines;
}

describe('the log of requests', () => {
  test('has one line of decisions, tokens and metadata', () => {
    expect(logged('info', recordOf())).toEqual([
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
        metadata: { team: 'a' },
        msg: 'Request finished',
      },
    ]);
  });

  test('leaves out what is not known', () => {
    const request = { trace: { traceId: 't', spanId: undefined, parentSpanId: undefined, spanName: undefined } };
    const [line] = logged('info', recordOf({ attempts: [], request: { ...request, metadata: {} } }));
    for (const member of ['spanId', 'parentSpanId', 'spanName', 'metadata', 'tokens', 'provider', 'tries', 'error'])
      expect(line).not.toHaveProperty(member);
  });

  test('has every attempt, and the masked headers, at level debug', () => {
    const failed = attempt({
      provider: 'anthropic',
      status: 529,
      error: new AppError('UPSTREAM_OVERLOADED'),
      calls: 2,
    });
    const [received, line] = logged('debug', recordOf({ attempts: [failed, attempt()] }), ['x-own']);
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

  test('has a line of its own for an error that is more than information', () => {
    const error = new AppError('INTERNAL');
    const lines = logged('warn', recordOf({ answer: { error } }));
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
    const failed = attempt({ provider: 'anthropic', status: 500, usage: undefined, calls: 3 });
    const lines = await counted(recordOf({ attempts: [failed, attempt()], decisions: { cache: 'MISS' } }));
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

  test('count each error once, though attempt and answer share it', async () => {
    const error = new AppError('UPSTREAM_TIMEOUT');
    const lines = await counted(recordOf({ attempts: [attempt({ error })], answer: { error, status: 408 } }));
    expect(lines).toContain('gatehouse_errors_total{code="UPSTREAM_TIMEOUT"} 1');
  });

  test('have one status for those that no standard knows', async () => {
    const lines = await counted(recordOf({ answer: { status: 999 }, attempts: [] }));
    expect(lines).toContain('gatehouse_requests_total{operation="chatComplete",provider="none",status="other"} 1');
  });
});
