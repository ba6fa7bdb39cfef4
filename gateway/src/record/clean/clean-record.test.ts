import { describe, expect, test, vi } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { compileScrubber } from '../../lib/scrub.ts';
import type { RequestRecord, TraceContext } from '../record.ts';
import { sampleAttempt, sampleGuardrail, sampleRecord } from '../testing.ts';
import { cleanRecord, cleanWatched } from './clean-record.ts';

const SECRET = 'sk-live-0123456789abcdef';
const KEY = `gwk_${'A'.repeat(40)}`;
const OF_TARGET = 'of-target/0123456789';
const authorized = () => Object.entries({ authorization: `Bearer ${SECRET}`, accept: 'application/json' });
const target = { textScrubber: () => compileScrubber([OF_TARGET]) };

const cleanedOf = (given: Parameters<typeof sampleRecord>[0], whole: { metadata?: object; user?: unknown } = {}) => {
  const record = sampleRecord(given);
  const { trace, metadata, user } = record.request;
  return cleanRecord(record, { trace, metadata: { ...(whole.metadata ?? metadata) }, user: whole.user ?? user });
};

test('a record without credentials stays what it is', () => {
  const record = sampleRecord({ request: { headers: authorized } });
  const clean = cleanRecord(record, { ...record.request, user: undefined, client: undefined });
  expect(clean).toMatchObject(JSON.parse(JSON.stringify(record)));
  expect([clean.request, clean.attempts, clean.answeredBy]).toEqual([
    record.request,
    record.attempts,
    record.answeredBy,
  ]);
  expect(clean.request).toBe(record.request);
});

describe.for([SECRET, KEY, OF_TARGET])('%s', (text) => {
  const attempt = () =>
    sampleAttempt({
      ...target,
      ...{ provider: text, account: text, model: `m-${text}`, answeredModel: text, origin: `https://${text}.example` },
      ...{ droppedParams: ['seed', text], error: new AppError('UPSTREAM_UNREACHABLE', { cause: new Error(text) }) },
    });

  test('is in no text of a record', () => {
    const trace = { traceId: `t-${text}`, spanId: text, parentSpanId: text, spanName: `${text}.` };
    const metadata = { note: `uses ${text}`, nested: { of: text }, [text]: 'name', plain: 'so' };
    const error = new AppError('UPSTREAM_UNREACHABLE', { detail: `no ${text}`, param: text, cause: new Error(text) });
    const record = cleanedOf(
      {
        attempts: [attempt()],
        request: { headers: authorized, trace, path: `/v1/${text}`, user: text },
        decisions: {
          guardrails: [
            sampleGuardrail({ id: text, feedback: { id: 'f', value: 1, weight: 1, metadata: { [text]: [text] } } }),
          ],
        },
        answer: { error },
      },
      { metadata },
    );
    const { cause, message } = record.answer.error ?? error;
    expect(JSON.stringify([record, message, String(cause)])).not.toContain(text);
    expect(record.request.metadata).toMatchObject({ note: 'uses [redacted]', plain: 'so' });
    expect(record.answer.error?.code).toBe('UPSTREAM_UNREACHABLE');
    expect(record.attempts[0]).toMatchObject({ model: 'm-[redacted]', droppedParams: ['seed', '[redacted]'] });
    expect(record.answeredBy).toBe(record.attempts[0]);
    expect(record.clean(`a ${text}`)).toBe('a [redacted]');
  });

  test.for<[what: string, shape: (text: string) => string]>([
    ['encoded in a URL', (it) => encodeURIComponent(it).replaceAll('-', '%2D')],
    ['in base64', (it) => Buffer.from(`user:${it}`).toString('base64')],
  ])('is found %s', ([, shape]) => {
    if (text === KEY) return; // somebody else's is found as it is written
    const { request } = cleanedOf({
      attempts: [attempt()],
      request: { headers: authorized, path: `/v1/${shape(text)}` },
    });
    expect(request.path).toContain('[redacted]');
  });

  test('is found before a text is cut', () => {
    const given = {
      attempts: [attempt()],
      request: { headers: authorized, trace: traceWith(`${'x'.repeat(250)} ${text}`) },
    };
    const long = `${'x'.repeat(120)} ${text}`;
    const { request } = cleanedOf(given, { metadata: { long }, user: long });
    expect(request.trace.spanName).toBe(`${'x'.repeat(250)} [reda`);
    expect([request.metadata['long'], request.user]).toEqual(Array(2).fill(`${'x'.repeat(120)} [redact`));
  });
});

const traceWith = (spanName: string): TraceContext => ({
  traceId: 't',
  spanId: 's',
  parentSpanId: undefined,
  spanName,
});

test('words and short values of headers stay', () => {
  const headers = () =>
    Object.entries({ 'x-session-id': 'checkout-1', authorization: 'Bearer short', accept: 'application/json' });
  const metadata = { session: 'checkout-1', note: 'short', kind: 'application/json' };
  expect(cleanedOf({ request: { headers, metadata } }).request.metadata).toEqual(metadata);
});

test('credentials of the call that brought the record, and more than are looked for in all forms, are taken out', () => {
  const many = Array.from({ length: 40 }, (_, at) => [`x-${at}-token`, `secret-number-${1_000 + at}-of-many`] as const);
  const record = cleanedOf({
    request: { carrierHeaders: () => many, path: `/${many.map(([, value]) => value).join('/')}` },
  });
  expect(record.request.path).toBe(`/${Array(40).fill('[redacted]').join('/')}`);
});

describe('a trace', () => {
  const span = {
    ...{ traceId: '5ec7e7a1b2c3d4e5f60718293a4b5c6d', spanId: '00f067aa0ba902b7', parentId: undefined },
    ...{ sampled: true, propagates: true, state: `v=${KEY}` },
  };

  test('goes without the state that holds a key', () => {
    const { trace } = cleanedOf({ request: { trace: { ...traceWith('a'), span } } }).request;
    expect(trace.span).toEqual({ ...span, state: undefined });
  });

  test('with a secret as its id is not exported', () => {
    const attempts = [sampleAttempt({ textScrubber: () => compileScrubber([span.traceId]) })];
    expect(cleanedOf({ attempts, request: { trace: { ...traceWith('a'), span } } }).request.trace.span).toBeUndefined();
  });
});

test('guardrails that ran after the answer are told of without credentials', () => {
  const watched = {
    ...{ trace: traceWith(SECRET), headers: authorized, ...target, guardrails: [sampleGuardrail({ id: OF_TARGET })] },
    caller: { keyId: 'k', key: 'app', user: undefined, workspace: 'team-a' },
  };
  const clean = cleanWatched(watched);
  expect([clean.trace.spanName, clean.guardrails[0]?.id]).toEqual(['[redacted]', '[redacted]']);
  const plain = { ...watched, trace: traceWith('a'), guardrails: [sampleGuardrail()] };
  expect(cleanWatched(plain)).toBe(plain);
});

test('headers and scrubbers are read once for a record', () => {
  const headers = vi.fn(authorized);
  const textScrubber = vi.fn(target.textScrubber);
  const record: RequestRecord = cleanedOf({ request: { headers }, attempts: [sampleAttempt({ textScrubber })] });
  for (const each of ['one', 'two', SECRET]) record.clean(each);
  expect([headers.mock.calls.length, textScrubber.mock.calls.length]).toEqual([1, 1]);
});

describe('a record that cannot be cleaned', () => {
  const broken = (): never => {
    throw new Error('broken');
  };

  test.for<[what: string, over: Parameters<typeof sampleRecord>[0]]>([
    ['where headers cannot be read', { request: { headers: broken } }],
    ['where the secrets of a target are not known', { attempts: [sampleAttempt({ textScrubber: broken })] }],
    [
      'where the search fails',
      { attempts: [sampleAttempt({ textScrubber: () => ({ ...compileScrubber([]), mayFind: broken }) })] },
    ],
  ])('%s has no texts of the client', ([, over]) => {
    const record = cleanedOf(over, { metadata: { note: SECRET }, user: SECRET });
    expect(JSON.stringify(record)).not.toContain(SECRET);
    expect(record).toMatchObject({ caller: { key: 'app' }, answer: { status: 200 }, attempts: [{ status: 200 }] });
    expect(record.clean(SECRET)).toBe('[redacted]');
  });

  test('since a text of it cannot be read has none', () => {
    const metadata = { note: SECRET, toJSON: broken };
    const feedback = { id: 'f', value: 1, weight: 1, metadata };
    const record = cleanedOf(
      { decisions: { guardrails: [sampleGuardrail({ feedback })] } },
      { metadata: { metadata } },
    );
    expect(JSON.stringify(record)).not.toContain(SECRET);
    expect(record).toMatchObject({ request: { metadata: {} }, answer: { status: 200 } });
  });
});

test('many matches of many credentials end in a record', () => {
  const headers = () => Array.from({ length: 16 }, (_, at) => [`x-token-${at}`, 'a'.repeat(16 + at)] as const);
  const record = cleanedOf({ request: { headers } }, { metadata: { a: `${'a'.repeat(220_000)}%61` } });
  expect(record.request.metadata['a']).toBe('[redacted]');
});

test('of a credential that overlaps a secret no part is left', () => {
  const headers = () => Object.entries({ authorization: 'Bearer 0123456789-of-the-client' });
  const given = `${OF_TARGET}-of-the-client`;
  const record = cleanedOf({ attempts: [sampleAttempt(target)], request: { headers } }, { metadata: { given } });
  expect(record.request.metadata).toEqual({ given: '[redacted]' });
});

describe('a long text', () => {
  const headers = authorized;
  const long = `${'x'.repeat(100)} ${'y'.repeat(20_000)}`;

  test('is recorded from its start', () => {
    const error = new AppError('UPSTREAM_UNREACHABLE', { cause: new Error(`${long}${SECRET}`) });
    const record = cleanedOf(
      { request: { headers, path: long }, answer: { error } },
      { metadata: { long }, user: long },
    );
    expect([record.request.metadata['long'], record.request.user]).toEqual(Array(2).fill(long.slice(0, 128)));
    expect(record.request.path).toBe(long.slice(0, 4_096));
    expect(JSON.stringify([record, String(record.answer.error?.cause)])).not.toContain(SECRET);
  });

  test('is left out where a credential may be cut', () => {
    const cookie = 'z'.repeat(5_000);
    const given = { request: { headers: () => [['cookie', cookie]] as const } };
    const cut = `${'x'.repeat(100)}${cookie}${long}`;
    expect(cleanedOf(given, { metadata: { cut, long }, user: `${SECRET}` }).request.metadata).toEqual({
      cut: '[redacted]',
      long: '[redacted]',
    });
  });

  test('of feedback of guardrails is cut, too', () => {
    const metadata = { note: `${'x'.repeat(20_000)}${SECRET}` };
    const guardrail = sampleGuardrail({ feedback: { id: 'f', value: 1, weight: 1, metadata } });
    const { decisions } = cleanedOf({ request: { headers }, decisions: { guardrails: [guardrail] } });
    expect(decisions.guardrails[0]?.feedback?.metadata).toEqual({ note: 'x'.repeat(4_096) });
  });
});

test('of many escapes as many as are read in time are, and texts with further ones are left out', () => {
  const written = [...SECRET].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
  const many = { ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`m${at}`, '%61'.repeat(2_000)])) };
  const metadata = { written, ...many, last: written, plain: `is ${SECRET}` };
  const record = cleanedOf({ request: { headers: authorized } }, { metadata });
  expect(record.request.metadata).toMatchObject({ written: '[redacted]', last: '[redacted]', plain: 'is [redacted]' });
});
