/** Audio in both directions: bytes that pass while they arrive, whole or cut. */
import { randomBytes } from 'node:crypto';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { config, guardrail, price, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };

beforeAll(async () => {
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
      guardrail('no-secrets', [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }]),
      config('guarded', { provider: '@openai', input_guardrails: ['no-secrets'] }),
      config('stubborn', { provider: '@openai', retry: { attempts: 2 } }),
      price('tts-by-character', { additionalUnits: [{ name: 'character', usd: '0.00003' }] }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const recordOf = async (traceId: string): Promise<RequestRecord> => {
  const find = () => records.find(({ request }) => request.trace.traceId === traceId);
  await waitFor(() => find() !== undefined);
  const found = find();
  if (found === undefined) throw new Error('no record');
  return found;
};

interface Asked {
  readonly body: object;
  readonly begun: () => void;
}

describe('speech', () => {
  const SPEECH = { model: 'tts-by-character', input: 'Hello', voice: 'alloy' };
  const speak = (body: object = SPEECH, headers: Readonly<Record<string, string>> = { 'x-gw-provider': '@openai' }) =>
    world.send('/v1/audio/speech', { headers, body });
  const atRaw = (url: string, traceId: string, { body = SPEECH, begun = () => {} }: Partial<Asked> = {}) => {
    const headers = {
      'x-gw-provider': 'openai',
      'x-gw-custom-host': url,
      authorization: 'Bearer x',
      'x-gw-trace-id': traceId,
    };
    return world.send('/v1/audio/speech', { headers, body, begun });
  };

  test('is the audio of the provider, byte for byte', async () => {
    const audio = randomBytes(300_000);
    await using upstream = await startRawUpstream((reply) =>
      reply.answer(200, audio, { 'content-type': 'audio/mpeg' }),
    );
    const answer = await atRaw(upstream.url, 'whole');
    expect(answer.bytes.equals(audio)).toBe(true);
    expect(answer.headers).toMatchObject({ 'content-type': 'audio/mpeg', 'content-length': '300000' });
    expect(answer.headers['x-gw-provider']).toBe('openai');
  });

  test('that breaks off ends the connection, and its record says why', async () => {
    const begun = Promise.withResolvers<void>();
    await using upstream = await startRawUpstream(async (reply) => {
      await reply.head(200, { 'content-type': 'audio/mpeg', 'content-length': '100000' });
      await reply.write(Buffer.alloc(5_000));
      await begun.promise;
      reply.reset();
    });
    await expect(atRaw(upstream.url, 'broken', { begun: begun.resolve })).rejects.toThrow();
    expect((await recordOf('broken')).answer.error?.code).toBe('UPSTREAM_STREAM_BROKEN');
  });

  test('comes as events where it is asked for, which report tokens', async () => {
    const answer = await speak(
      { ...SPEECH, stream_format: 'sse' },
      { 'x-gw-provider': '@openai', 'x-gw-trace-id': 'sse' },
    );
    expect(answer.headers['content-type']).toContain('text/event-stream');
    expect(answer.text.match(/"type":"[^"]+"/g)?.at(-1)).toBe('"type":"speech.audio.done"');
    expect((await recordOf('sse')).answeredBy?.usage).toMatchObject({ input: 2, output: 4, units: {} });
  });

  test('as events that break off ends with an error event', async () => {
    const begun = Promise.withResolvers<void>();
    await using upstream = await startRawUpstream(async (reply) => {
      await reply.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
      await reply.chunk('data: {"type":"speech.audio.delta","audio":"AA=="}\n\n');
      await begun.promise;
      reply.reset();
    });
    const asked = { body: { ...SPEECH, stream_format: 'sse' }, begun: begun.resolve };
    const answer = await atRaw(upstream.url, 'broken-events', asked);
    expect(answer.text).toMatch(/^data: \{"type":"speech.audio.delta".*\n\ndata: \{"error":\{/);
  });

  test('as audio costs its characters', async () => {
    const answer = await speak(
      { ...SPEECH, input: 'Hé🙂' },
      { 'x-gw-provider': '@openai', 'x-gw-trace-id': 'characters' },
    );
    expect(answer.status).toBe(200);
    const { answeredBy } = await recordOf('characters');
    expect(answeredBy?.usage?.units).toEqual({ character: 3 });
    expect(answeredBy?.cost).toEqual({ nanoDollars: 90_000, unpriced: false, estimated: false, source: 'pricing' });
  });

  test('is asked for with a voice where none is named', async () => {
    const { voice: _, ...silent } = SPEECH;
    await speak(silent);
    expect(JSON.parse(lastRequest(world.mock).body.toString())).toEqual(SPEECH);
  });

  test('is tried again before its first byte', async () => {
    const answer = await speak({ ...SPEECH, model: 'mock-fail-503-times-1' }, { 'x-gw-config': 'stubborn' });
    expect([answer.status, answer.headers['x-gw-retry-attempt-count']]).toEqual([200, '1']);
  });

  test('reports errors in the normal form', async () => {
    const answer = await speak({ ...SPEECH, response_format: 'midi' });
    expect(answer.json()).toMatchObject({ error: { param: 'response_format' }, provider: 'openai' });
    expect(answer.status).toBe(400);
  });

  test.for([
    { rule: 'without a model', body: { input: 'Hello' }, provider: '@openai', code: 'model_required' },
    { rule: 'of a provider that does not speak', body: SPEECH, provider: '@claude', code: 'operation_unsupported' },
  ])('$rule is refused', async ({ body, provider: named, code }) => {
    const answer = await speak(body, { 'x-gw-provider': named });
    expect([answer.status, answer.json().error.code]).toEqual([400, code]);
  });

  test('is under guardrails', async () => {
    const before = world.mock.requests.length;
    const answer = await speak({ ...SPEECH, input: 'a secret' }, { 'x-gw-config': 'guarded' });
    expect([answer.status, world.mock.requests.length - before], answer.text).toEqual([446, 0]);
    expect((await speak(SPEECH, { 'x-gw-config': 'guarded' })).status).toBe(200);
  });

  test('is never cached', async () => {
    const headers = { 'x-gw-config': JSON.stringify({ provider: '@openai', cache: { mode: 'simple' } }) };
    for (const _ of [1, 2]) expect((await speak(SPEECH, headers)).headers['x-gw-cache-status']).toBe('DISABLED');
  });
});
