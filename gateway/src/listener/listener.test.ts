import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import { Cancellation } from '../lib/cancellation.ts';
import { DEFAULT_JSON_LIMITS, type JsonLimits } from '../lib/json/index.ts';
import { unlimitedAccount } from '../lib/testing.ts';
import type { BodyKind } from '../pipeline/index.ts';
import { addCorsHeaders, preflightHeaders } from './answer/cors.ts';
import { ServedRequest } from './body/client-request.ts';
import { parseBody, parseLargeBody } from './body/read-json.ts';
import { createDrain } from './connections/drain.ts';
import { createConnectionPolicy } from './connections/maximum-age.ts';

const ANY: readonly BodyKind[] = ['none', 'json', 'form', 'binary'];
const JSON_ONLY: readonly BodyKind[] = ['json'];
const FORMS: readonly BodyKind[] = ['form'];
const BYTES: readonly BodyKind[] = ['binary', 'none'];

describe('CORS', () => {
  const settings = { origins: ['https://a', 'https://b'], methods: 'GET', headers: 'x', exposed: 'y' };

  test.for<{ rule: string; origins: string[]; origin: string | undefined; want: object }>([
    {
      rule: 'names a listed origin',
      origins: settings.origins,
      origin: 'https://b',
      want: { 'access-control-allow-origin': 'https://b', 'access-control-expose-headers': 'y', vary: 'origin' },
    },
    {
      rule: 'opens to all',
      origins: ['*'],
      origin: 'https://z',
      want: { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'y' },
    },
    { rule: 'opens to no others', origins: settings.origins, origin: 'https://b.evil', want: { vary: 'origin' } },
    { rule: 'sends nothing without an origin', origins: ['*'], origin: undefined, want: {} },
  ])('$rule', ({ origins, origin, want }) => {
    expect(addCorsHeaders({}, { ...settings, origins }, origin)).toEqual(want);
  });

  test('keeps what else the answer depends on', () => {
    const vary = (given: string | string[]) => addCorsHeaders({ vary: given }, settings, 'https://a')['vary'];
    expect([vary('accept'), vary(['accept', 'cookie'])]).toEqual(['accept, origin', 'accept, cookie, origin']);
  });

  test.for([
    { headers: 'x', want: 'x' },
    { headers: '*', want: '*, authorization' },
    { headers: 'x, *', want: 'x, *, authorization' },
    { headers: '*, Authorization', want: '*, Authorization' },
  ])('answers a preflight that allows $headers with $want', ({ headers, want }) => {
    expect(preflightHeaders({ ...settings, headers })).toEqual({
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': want,
      'access-control-max-age': '600',
    });
  });
});

describe('a connection', () => {
  const policy = (maxAgeMs: number, random = 0.5, draining = false) =>
    createConnectionPolicy({ maxAgeMs, random: () => random, isDraining: () => draining });

  test('stays open after its first answer, whatever its maximum age', () => {
    expect(policy(0).isLast(new Socket(), 5)).toBe(false);
  });

  test.for([
    { random: 0, endsAtMs: 805 },
    { random: 0.5, endsAtMs: 1_005 },
    { random: 0.75, endsAtMs: 1_105 },
  ])('ends at its maximum age, plus or minus a fifth: $endsAtMs', ({ random, endsAtMs }) => {
    const socket = new Socket();
    const { isLast } = policy(1_000, random);
    expect([5, endsAtMs - 1, endsAtMs].map((nowMs) => isLast(socket, nowMs))).toEqual([false, false, true]);
  });

  test('ends at once during a drain', () => {
    expect(policy(1_000_000, 0, true).isLast(new Socket(), 5)).toBe(true);
  });
});

describe('a drain', () => {
  const started = (options: { acceptMs: number; deadlineMs: number }) => {
    const drain = createDrain(options);
    const events: string[] = [];
    const done = drain
      .run(() => {
        events.push('stops accepting');
      })
      .then(() => events.push('done'));
    return { drain, events, done };
  };

  test('of an idle gateway is over after its window', async () => {
    const { drain, events, done } = started({ acceptMs: 1, deadlineMs: 60_000 });
    expect(drain.isDraining()).toBe(true);
    await done;
    expect(events).toEqual(['stops accepting', 'done']);
  });

  test('waits for what is in flight, also for requests of its accept window', async () => {
    const { drain, events, done } = started({ acceptMs: 20, deadlineMs: 60_000 });
    const cancellation = new Cancellation();
    drain.inFlight.add(cancellation);
    await new Promise<void>((resolve) => {
      const look = (): void => (events.length > 0 ? resolve() : void setTimeout(look, 1));
      look();
    });
    expect(events).toEqual(['stops accepting']);
    drain.inFlight.remove(cancellation);
    await done;
    expect(cancellation.cancelled).toBe(false);
  });

  test('ends what is left at its deadline', async () => {
    const drain = createDrain({ acceptMs: 0, deadlineMs: 5 });
    const cancellation = new Cancellation();
    drain.inFlight.add(cancellation);
    cancellation.onCancel(() => drain.inFlight.remove(cancellation));
    await drain.run(() => undefined);
    expect(cancellation.reason).toMatchObject({ code: 'DRAINING' });
  });

  test('can be cut short', () => {
    const drain = createDrain({ acceptMs: 0, deadlineMs: 5 });
    const cancellation = new Cancellation();
    drain.inFlight.add(cancellation);
    drain.abort(new AppError('DRAINING'));
    expect(cancellation.cancelled).toBe(true);
  });
});

describe('a request of the server', () => {
  const LIMITS = {
    maxJsonBytes: 100,
    maxFormBytes: 1_000_000,
    formModelBytes: 1_000_000,
    json: DEFAULT_JSON_LIMITS,
    replayBytes: 10,
    progress: { idleMs: 0, minBytesPerSecond: 0 },
  };

  function message(headers: IncomingMessage['headers'], over: Partial<IncomingMessage> = {}): IncomingMessage {
    const stream = new PassThrough();
    return Object.assign(stream, {
      headers,
      method: 'POST',
      url: '/v1/x?a=b?c',
      httpVersionMajor: 1,
      ...over,
    }) as unknown as IncomingMessage; // what is looked at
  }
  const toRequest = (given: IncomingMessage) =>
    new ServedRequest(given, { route: {}, limits: LIMITS, memory: unlimitedAccount() });

  test('has path and query apart, headers joined, and no header of another kind', () => {
    const request = toRequest(message({ 'set-cookie': ['a', 'b'], accept: 'x', ':path': '/' } as never));
    expect([request.path, request.query]).toEqual(['/v1/x', 'a=b?c']);
    expect(request.header('set-cookie')).toBe('a, b');
    expect([...request.headers()]).toEqual([
      ['set-cookie', 'a, b'],
      ['accept', 'x'],
    ]);
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(request.header(name)).toBeUndefined();
    }
  });

  test.for<{
    rule: string;
    headers: IncomingMessage['headers'];
    kinds: readonly BodyKind[];
    over?: Partial<IncomingMessage>;
    body?: string;
    want: string;
  }>([
    { rule: 'GET has no body', headers: { 'content-length': '5' }, kinds: ANY, over: { method: 'GET' }, want: 'none' },
    { rule: 'no length and no framing is no body', headers: {}, kinds: ANY, want: 'none' },
    { rule: 'length 0 is no body', headers: { 'content-length': '0' }, kinds: ANY, want: 'none' },
    {
      rule: 'JSON is read',
      headers: { 'content-length': '2', 'content-type': 'application/json' },
      kinds: ANY,
      body: '{}',
      want: 'json',
    },
    {
      rule: 'empty chunked JSON is no body',
      headers: { 'transfer-encoding': 'chunked', 'content-type': 'application/json' },
      kinds: ANY,
      body: '',
      want: 'none',
    },
    {
      rule: 'anything is JSON where JSON is wanted',
      headers: { 'content-length': '2' },
      kinds: JSON_ONLY,
      body: '{}',
      want: 'json',
    },
    {
      rule: 'other bodies are bytes',
      headers: { 'content-length': '2', 'content-type': 'text/plain' },
      kinds: ANY,
      want: 'binary',
    },
    { rule: 'chunked bodies are bytes', headers: { 'transfer-encoding': 'chunked' }, kinds: ANY, want: 'binary' },
    ...[
      { rule: 'a form is one', type: 'multipart/form-data; boundary=x', kinds: ANY, want: 'form' },
      { rule: 'a form without boundary is bytes', type: 'multipart/form-data', kinds: ANY, want: 'binary' },
      {
        rule: 'a form is bytes where bytes are wanted',
        type: 'multipart/form-data; boundary=x',
        kinds: BYTES,
        want: 'binary',
      },
      {
        rule: 'a form is one where forms are wanted',
        type: 'multipart/form-data; boundary=x',
        kinds: FORMS,
        want: 'form',
      },
      { rule: 'JSON is bytes where bytes are wanted', type: 'application/json', kinds: BYTES, want: 'binary' },
    ].map(({ type, ...row }) => ({ ...row, headers: { 'content-length': '2', 'content-type': type } })),
    {
      rule: 'HTTP/2 says by its frames whether there is a body',
      headers: {},
      kinds: ANY,
      over: { httpVersionMajor: 2, stream: { endAfterHeaders: false } } as never,
      want: 'binary',
    },
    {
      rule: 'HTTP/2 says by its frames that there is none',
      headers: {},
      kinds: ANY,
      over: { httpVersionMajor: 2, stream: { endAfterHeaders: true } } as never,
      want: 'none',
    },
  ])('$rule: $want', async ({ headers, kinds, over, body, want }) => {
    const given = message(headers, over);
    (given as unknown as PassThrough).end(body ?? '');
    expect((await toRequest(given).readBody(kinds)).kind).toBe(want);
  });

  test.for([
    { headers: { 'content-length': '101', 'content-type': 'application/json' }, kinds: ANY, fits: false },
    { headers: { 'content-length': '101' }, kinds: JSON_ONLY, fits: false },
    { headers: { 'content-length': '100' }, kinds: JSON_ONLY, fits: true },
    { headers: { 'content-length': '101', 'content-type': 'text/plain' }, kinds: ANY, fits: true },
    { headers: {}, kinds: JSON_ONLY, fits: true },
  ])('of $headers ($kinds) fits: $fits', ({ headers, kinds, fits }) => {
    const check = (): void => toRequest(message(headers)).checkLength(kinds);
    if (fits) check();
    else expect(check).toThrow(expect.objectContaining({ code: 'BODY_TOO_LARGE' }));
  });

  test('that is no form is refused where a form is wanted', async () => {
    const given = message({ 'content-length': '2', 'content-type': 'multipart/form-data' });
    await expect(toRequest(given).readBody(FORMS)).rejects.toMatchObject({ code: 'BODY_NOT_FORM' });
  });

  test('that grows beyond the limit is refused as soon as it does', async () => {
    const given = message({ 'transfer-encoding': 'chunked' });
    const reading = toRequest(given).readBody(JSON_ONLY);
    (given as unknown as PassThrough).write(Buffer.alloc(101));
    await expect(reading).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
  });

  test('that breaks off is CLIENT_CLOSED', async () => {
    const given = message({ 'transfer-encoding': 'chunked' });
    const reading = toRequest(given).readBody(JSON_ONLY);
    given.destroy();
    await expect(reading).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
  });
});

describe('a JSON body', () => {
  const LIMITS: JsonLimits = { ...DEFAULT_JSON_LIMITS, nodes: 1_000, stringBytes: 20 };
  const codesOf = async (text: string | Buffer): Promise<string[]> => {
    const bytes = Buffer.from(text as string);
    const ways = [async () => parseBody(bytes, LIMITS), () => parseLargeBody(bytes, LIMITS)];
    return Promise.all(
      ways.map((parse) =>
        parse().then(
          () => 'read',
          (error: AppError) => error.code,
        ),
      ),
    );
  };
  const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  test.for<{ rule: string; text: string | Buffer; want: string }>([
    { rule: 'is an object', text: '{"a":1}', want: 'read' },
    { rule: 'may have any member', text: '{"__proto__":{"x":1},"constructor":2}', want: 'read' },
    { rule: 'is not a list', text: '[]', want: 'BODY_NOT_OBJECT' },
    { rule: 'is not null', text: 'null', want: 'BODY_NOT_OBJECT' },
    { rule: 'is not a number', text: '1', want: 'BODY_NOT_OBJECT' },
    { rule: 'is not nothing', text: '', want: 'BODY_NOT_JSON' },
    { rule: 'is not half of something', text: '{"a":', want: 'BODY_NOT_JSON' },
    { rule: 'may be 256 levels deep', text: nested(256), want: 'read' },
    { rule: 'may not be deeper', text: nested(257), want: 'BODY_TOO_COMPLEX' },
    { rule: 'may not be absurdly deep', text: nested(100_000), want: 'BODY_TOO_COMPLEX' },
    { rule: 'may not have too many values', text: `{"a":[${'1,'.repeat(999)}1]}`, want: 'BODY_TOO_COMPLEX' },
    { rule: 'may not have too long a string', text: `{"a":"${'x'.repeat(21)}"}`, want: 'BODY_TOO_COMPLEX' },
    { rule: 'has no name twice', text: '{"a":1,"a":1}', want: 'BODY_NAME_REPEATED' },
    { rule: 'has no name twice in any object', text: '{"a":[{"b":1,"b":1}]}', want: 'BODY_NAME_REPEATED' },
    { rule: 'has nothing behind it', text: '{"a":1}{"a":2}', want: 'BODY_NOT_JSON' },
  ])('$rule, read at once or in slices', async ({ text, want }) => {
    expect(await codesOf(text)).toEqual([want, want]);
  });

  test.for([
    { rule: 'a missing value', text: '{\n  "a": ,\n}', want: 'line 2, column 8' },
    { rule: 'a missing comma', text: '{"a": 1 "b": 2}', want: 'line 1, column 9' },
    { rule: 'an end that is missing', text: '{\n"a": [1', want: 'line 2, column 8: it ends too early' },
    { rule: 'a text without its end', text: '{"a": "b', want: 'line 1, column 7' },
    { rule: 'an escape that is none', text: '{"ä": "\\x"}', want: 'line 1, column 7' },
    { rule: 'a number that is none', text: '{"a": 01}', want: 'line 1, column 7' },
    { rule: 'nothing at all', text: '', want: 'empty' },
  ])('names the place of $rule, and quotes nothing', ({ text, want }) => {
    const parse = () => parseBody(Buffer.from(text), LIMITS);
    expect(parse).toThrow(want);
    expect(parse).not.toThrow('"');
  });

  test('never changes a prototype', () => {
    parseBody(Buffer.from('{"__proto__":{"polluted":true}}'), LIMITS);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
