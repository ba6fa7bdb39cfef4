import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import { compileScrubber } from '../../lib/scrub.ts';
import type { SideAnswer, SideRequest } from '../../providers/contract.ts';
import { callService, type ServiceCall } from './call-service.ts';
import { CheckFault, faultOf } from './fault.ts';

interface World {
  readonly answer?: { readonly status?: number; readonly text: string } | Error | 'never';
  readonly client?: Readonly<Record<string, string>>;
  readonly signal?: Cancellation;
}

const URL_OF_CALL = 'https://checks.example/v1/scan?a=1';

function call(over: Partial<ServiceCall>, { answer = { text: '{}' }, client = {}, signal }: World = {}) {
  const sent: SideRequest[] = [];
  const fetch = (request: SideRequest, options: { readonly signal: CancelSignal }): Promise<SideAnswer> => {
    sent.push(request);
    if (answer instanceof Error) return Promise.reject(answer);
    if (answer === 'never') {
      return new Promise((_, reject) => options.signal.onCancel(() => reject(options.signal.reason)));
    }
    return Promise.resolve({ status: answer.status ?? 200, headers: {}, body: Buffer.from(answer.text) });
  };
  const tools = { fetch, signal: signal ?? new Cancellation() };
  const subject = { header: (name: string) => client[name] };
  return { sent, answer: callService({ url: URL_OF_CALL, ...over }, { subject, tools }) };
}

const faultFrom = async (over: Partial<ServiceCall>, world: World): Promise<CheckFault> => {
  const thrown: unknown = await call(over, world).answer.catch((error: unknown) => error);
  if (thrown instanceof CheckFault) return thrown;
  throw new Error(`no fault: ${inspect(thrown)}`);
};

describe('a call of a check', () => {
  test.for<[rule: string, over: Partial<ServiceCall>, want: Partial<SideRequest>]>([
    [
      'posts JSON to the address of the check',
      { body: { a: 1 } },
      {
        method: 'POST',
        url: URL_OF_CALL,
        headers: { 'content-type': 'application/json' },
        body: '{"a":1}',
        account: true,
      },
    ],
    [
      'sends a text as it is, with the type of the call',
      { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1' },
    ],
    ['may be a GET without a body', { method: 'GET' }, { method: 'GET', headers: {} }],
    ['bounds the answer', { maxBytes: 9 }, { maxBytes: 9 }],
  ])('%s', async ([, over, want]) => {
    const { sent, answer } = call(over);
    await answer;
    expect(sent).toMatchObject([want]);
  });

  test('gives the answer', async () => {
    expect(await call({}, { answer: { status: 201, text: '{"a":1}' } }).answer).toEqual({
      status: 201,
      json: { a: 1 },
      text: '{"a":1}',
    });
    const text = await call({ answer: 'text' }, { answer: { text: 'ok' } }).answer;
    expect(text).toEqual({ status: 200, json: undefined, text: 'ok' });
  });
});

describe('headers of the client', () => {
  const sentHeaders = async (over: Partial<ServiceCall>, client: Record<string, string>) => {
    const { sent, answer } = call(over, { client });
    await answer;
    return sent[0]?.headers;
  };
  const trace = { forwardHeaders: ['traceparent'] };

  test('go along where they are named and were sent, and those of the call win', async () => {
    const over = { forwardHeaders: ['x-user', 'x-key', 'x-none'], headers: { 'x-key': 'own' } };
    expect(await sentHeaders(over, { 'x-user': 'u', 'x-key': 'client', 'x-other': 'o' })).toEqual({
      'x-user': 'u',
      'x-key': 'own',
    });
  });

  test.for([
    {
      rule: 'is the one that was sent',
      client: { traceparent: '00-a-b-01', 'x-gw-trace-id': 't' },
      want: /^00-a-b-01$/,
    },
    {
      rule: 'is made of the ids of the client',
      client: { 'x-gw-trace-id': '0af76519-16cd-43dd-8448-eb211c80319c', 'x-gw-span-id': 'b7ad6b7169203331' },
      want: /^00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01$/,
    },
    {
      rule: 'is made of a trace id of any form',
      client: { 'x-gw-trace-id': 'my trace' },
      want: /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/,
    },
    {
      rule: 'has no identifier of zeros',
      client: { 'x-gw-trace-id': '0'.repeat(32), 'x-gw-span-id': '0'.repeat(16) },
      want: /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/,
    },
  ])('traceparent $rule', async ({ client, want }) => {
    expect((await sentHeaders(trace, client))?.['traceparent']).toMatch(want);
  });

  test('traceparent is left out without any id, and where it is not named', async () => {
    expect(await sentHeaders(trace, {})).toEqual({});
    expect(await sentHeaders({}, { 'x-gw-trace-id': 't' })).toEqual({});
  });
});

describe('a call that fails', () => {
  test.for<[rule: string, world: World, want: object]>([
    [
      'by its status keeps status and body',
      { answer: { status: 500, text: '{"m":1}' } },
      { name: 'HttpError', status: 500, body: { m: 1 } },
    ],
    [
      'by its status may have any body',
      { answer: { status: 302, text: '<p>' } },
      { name: 'HttpError', status: 302, body: '<p>' },
    ],
    ['by an answer that is no JSON', { answer: { text: '<p>' } }, { name: 'ParseError' }],
    ['by an empty answer', { answer: { text: '' } }, { name: 'ParseError' }],
    ['by the network', { answer: new AppError('UPSTREAM_UNREACHABLE') }, { name: 'ConnectionError' }],
    [
      'by the host guard says what to do',
      { answer: new AppError('UPSTREAM_ADDRESS_REFUSED') },
      { name: 'ConnectionError', message: expect.stringContaining('TRUSTED_CUSTOM_HOSTS') },
    ],
    ['by the time of the connection', { answer: new AppError('UPSTREAM_CONNECT_TIMEOUT') }, { name: 'TimeoutError' }],
    ['by its size', { answer: new AppError('UPSTREAM_TOO_LARGE') }, { name: 'ResponseTooLarge' }],
    ['by its time', { answer: 'never' }, { name: 'TimeoutError', message: expect.stringContaining('20 ms') }],
    ['by anything else', { answer: new TypeError('x') }, { name: 'ConnectionError' }],
  ])('%s', async ([, world, want]) => {
    const fault = await faultFrom({ timeoutMs: 20 }, world);
    expect(fault).toMatchObject(want);
    expect(faultOf(fault)).toEqual({ name: fault.name, message: fault.message });
  });

  test('by its address', async () => {
    expect(await faultFrom({ url: 'nowhere' }, {})).toMatchObject({ name: 'InvalidInput' });
  });

  test('by the end of the request', async () => {
    const signal = new Cancellation();
    const failing = faultFrom({}, { answer: 'never', signal });
    signal.cancel(new AppError('CLIENT_CLOSED'));
    expect(await failing).toMatchObject({ name: 'AbortError' });
  });

  test('shows neither credentials nor what an unknown error says', async () => {
    const secret = 'sk-live-0123456789';
    const over: Partial<ServiceCall> = {
      url: `https://user:${secret}@checks.example/${secret}`,
      headers: { authorization: `Bearer ${secret}` },
      scrubber: compileScrubber([secret]),
    };
    const worlds: World[] = [
      { answer: { status: 401, text: JSON.stringify({ message: `invalid key ${secret}` }) } },
      { answer: { text: `key ${secret}` } },
      { answer: new AppError('UPSTREAM_UNREACHABLE', { detail: secret }) },
      { answer: new Error(secret) },
      { answer: 'never' },
    ];
    for (const world of worlds) {
      const fault = await faultFrom({ ...over, timeoutMs: 20 }, world);
      expect(inspect([fault, fault.cause, faultOf(fault)], { depth: 9 })).not.toContain(secret);
    }
    expect(faultOf(new Error(secret))).toEqual({ name: 'Check error', message: 'The check failed' });
    expect((await call(over, { answer: { text: `{"a":"${secret}"}` } }).answer).text).not.toContain(secret);
  });
});
