import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import type { AttemptFacts, RequestRecord } from '../record/index.ts';
import { sampleAttempt, sampleRecord } from '../record/testing.ts';
import type { TokenUsage } from '../usage/index.ts';
import { createLogger, createLogSink } from './index.ts';

const MESSAGE = 'Request finished';

/** The line of the request, without its time. */
function logged(level: string, write: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  write(createLogger({ level, service: 's', destination }).child({ pod: 'p"1' }));
  const line = lines.find((one) => one.includes(`"msg":"${MESSAGE}"`)) ?? '';
  return line.replace(/"time":"[^"]+"/, '"time":""');
}

const round = (ms: number): number => Math.round(ms * 100) / 100;
const orAbsent = (count: number): number | undefined => (count === 0 ? undefined : count);
const orUnused = (tokens: TokenUsage['audio']) =>
  tokens.input + tokens.output + tokens.cached > 0 ? tokens : undefined;

function membersOf({ request, caller, route, decisions, attempts, answeredBy, answer }: RequestRecord): object {
  const usage = answeredBy?.usage;
  return {
    ...request.trace,
    method: request.method,
    path: request.path,
    operation: request.operation,
    status: answer.status,
    key: caller?.key,
    workspace: caller?.workspace,
    provider: answeredBy?.provider,
    model: answeredBy?.model,
    config: route.config,
    option: route.optionPath,
    attempts: attempts.length,
    retries: decisions.retries,
    attemptsExhausted: decisions.attemptsExhausted ? true : undefined,
    cache: decisions.cache,
    stream: answer.stream,
    snapshot: answer.snapshot,
    durationMs: round(answer.durationMs),
    firstByteMs: round(answer.firstByteMs),
    upstreamMs: round(attempts.reduce((sum, { upstreamMs }) => sum + upstreamMs, 0)),
    tokens: usage && {
      input: usage.input,
      output: usage.output,
      cached: usage.cached,
      cacheWrite: orAbsent(usage.cacheWrite),
      reasoning: orAbsent(usage.reasoning),
      audio: orUnused(usage.audio),
      image: orUnused(usage.image),
    },
    metadata: Object.keys(request.metadata).length === 0 ? undefined : request.metadata,
    error: answer.error?.code,
  };
}

const inShort = (attempt: AttemptFacts): object => {
  const { provider, model, answeredModel, status, error, cache, calls, durationMs, upstreamMs } = attempt;
  const times = { durationMs: round(durationMs), upstreamMs: round(upstreamMs) };
  return { provider, model, answeredModel, status, error: error?.code, cache, calls, ...times };
};

/** Control characters, quotes, lone surrogates and ordinary text. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '"', '\\', '\n', '\u007f', '\ud800', '\udc00x', '__proto__'),
);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const time = fc.oneof(fc.double(), fc.double({ min: 0, max: 1e6 }), fc.constantFrom(0, -0, 0.005, 1.005, 1e21));
const count = fc.oneof(fc.nat(), fc.constantFrom(0, 0.5, 1e21));
const error = maybe(fc.constantFrom(new AppError('UPSTREAM_TIMEOUT'), new AppError('KEY_INVALID')));
const modality = fc.record({ input: count, output: count, cached: count });
const usage: fc.Arbitrary<TokenUsage> = fc.record({
  input: count,
  output: count,
  total: count,
  cached: count,
  cacheWrite: count,
  reasoning: count,
  text: modality,
  audio: modality,
  image: modality,
  units: fc.constant({}),
});
const cache = maybe(fc.constantFrom('HIT', 'MISS', 'REFRESH', 'DISABLED'));
const attempt: fc.Arbitrary<AttemptFacts> = fc
  .record({
    provider: maybe(text),
    model: maybe(text),
    answeredModel: maybe(text),
    status: fc.integer({ min: 100, max: 999 }),
    error,
    cache,
    calls: fc.nat(),
    durationMs: time,
    upstreamMs: time,
    usage: maybe(usage),
  })
  .map(sampleAttempt);
const name = fc.oneof(text, fc.constantFrom('token', 'apiKey', 'password', 'secret', 'authorization', '1', '0'));
const record: fc.Arbitrary<RequestRecord> = fc
  .record({
    trace: fc.record({ traceId: text, spanId: maybe(text), parentSpanId: maybe(text), spanName: maybe(text) }),
    texts: fc.record({ method: text, path: text, operation: text }),
    metadata: fc.dictionary(name, text),
    caller: maybe(fc.record({ keyId: text, key: text, user: maybe(text), workspace: text })),
    route: fc.record({ config: maybe(text), mode: maybe(text), optionPath: maybe(text) }),
    decisions: fc.record({ cache, retries: maybe(fc.integer({ min: -1 })), attemptsExhausted: fc.boolean() }),
    attempts: fc.array(attempt, { maxLength: 3 }),
    answer: fc.record({ firstByteMs: time, durationMs: time, stream: fc.boolean(), error, snapshot: fc.nat() }),
  })
  .map(({ trace, texts, metadata, caller, route, ...parts }) => ({
    ...sampleRecord({ ...parts, request: { trace, ...texts, metadata } }),
    caller,
    route,
  }));

test.for(['info', 'debug'])(
  'the line of a request at %s is the one that the logger writes for its members',
  (level) => {
    fc.assert(
      fc.property(record, (given) => {
        const members = { ...membersOf(given), tries: level === 'debug' ? given.attempts.map(inShort) : undefined };
        const want = logged(level, (logger) => logger.info(members, MESSAGE));
        const got = logged(level, (logger) => createLogSink({ logger, headersToMask: [] }).record(given));
        expect(got).toBe(want);
      }),
    );
  },
);

test('the line of a request has no secret of its metadata', () => {
  const record = sampleRecord({ request: { metadata: { token: 'sk-do-not-log', team: 'a' } } });
  const line = logged('info', (logger) => createLogSink({ logger, headersToMask: [] }).record(record));
  expect(JSON.parse(`{${line.slice(line.indexOf('"metadata"'))}`).metadata).toEqual({ token: '[redacted]', team: 'a' });
});
