/** Bytes in flight: many large requests and answers at once must end in 503, not in the end of the process. */
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway, startWorld } from '../../kit/gateway.ts';
import { open, receive } from '../../kit/http.ts';
import { type RawReply, startRawUpstream } from '../../kit/raw-upstream.ts';
import { KEY, key, provider, workspace } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const MIB = 1024 * 1024;
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const TO_RAW = { 'x-gw-provider': '@raw' };

const bufferedBytes = (gateway: RunningGateway): Promise<number> => gateway.metric('gatehouse_buffered_bytes');

/** The most that was ever held while `work` ran. */
async function peakDuring(gateway: RunningGateway, work: Promise<unknown>): Promise<number> {
  let peak = 0;
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  while (!over) peak = Math.max(peak, await bufferedBytes(gateway));
  await ended;
  return peak;
}

const startRaw = (url: string, env: Readonly<Record<string, string>>): Promise<RunningGateway> =>
  startGateway({ env, entries: [workspace(), key(), provider('raw', { customHost: `${url}/v1`, secret: 'sk-raw' })] });

/** Sends JSON without an end until the connection is cut. */
async function endlessly({ head, write, socket }: RawReply): Promise<void> {
  await head(200, { 'content-type': 'application/json' });
  await write('{"a":"');
  while (!socket.destroyed) await write('a'.repeat(64 * 1024));
}

/** An open request whose content-length is larger than the body sent so far. */
function halfSent(port: number, { announced, sent }: { readonly announced: number; readonly sent: number }): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}); // cut by the gateway in the end
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-gw-api-key: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${announced}\r\n\r\n`,
  );
  socket.write(`{"a":"${'a'.repeat(sent - 6)}`);
  return socket;
}

describe('the budget of buffered bytes', () => {
  test('ends endless answers before memory does, and spares the stream that runs', async () => {
    const finish = Promise.withResolvers<void>();
    await using upstream = await startRawUpstream(async (reply) => {
      const { stream } = JSON.parse((await reply.request.body).toString());
      if (!stream) return endlessly(reply);
      await reply.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
      await reply.chunk('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
      await finish.promise;
      await reply.chunk('data: [DONE]\n\n');
      return reply.chunk('');
    });
    await using gateway = await startRaw(upstream.url, { GATEHOUSE_MAX_BUFFERED_BYTES: String(6 * MIB) });
    const headers = { 'x-gw-api-key': KEY, ...TO_RAW };
    const stream = await open(`${gateway.url}/v1/chat/completions`, { headers, body: { ...CHAT, stream: true } });

    const sending = Promise.all(
      Array.from({ length: 30 }, () => gateway.send('/v1/chat/completions', { headers: TO_RAW, body: CHAT })),
    );
    const peak = await peakDuring(gateway, sending);
    const answers = await sending;

    expect(peak).toBeLessThanOrEqual(6 * MIB);
    expect(answers.filter(({ status }) => status !== 502 && status !== 503)).toEqual([]);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.json()).toMatchObject({ error: { code: 'memory_exhausted' } });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await gateway.metric('gatehouse_buffered_bytes_refused_total')).toBeGreaterThan(0);
    expect(await gateway.metric('gatehouse_buffered_bytes_limit')).toBe(6 * MIB);

    finish.resolve();
    expect((await receive(stream.response)).text).toContain('[DONE]');
    await waitFor(async () => (await bufferedBytes(gateway)) === 0, { what: 'everything given back' });
  });

  test('refuses bodies that find no room, and takes new ones once they are gone', async () => {
    await using world = await startWorld({ env: { GATEHOUSE_MAX_BUFFERED_BYTES: String(6 * MIB) } });
    const held = Array.from({ length: 5 }, () => halfSent(world.port, { announced: 1.5 * MIB, sent: MIB }));
    await waitFor(async () => (await bufferedBytes(world)) >= 5 * MIB, { what: 'bodies in memory' });
    const request = { headers: { 'x-gw-provider': '@openai' }, body: { ...CHAT, user: 'u'.repeat(1.8 * MIB) } };
    const refused = await world.send('/v1/chat/completions', request);
    expect([refused.status, refused.json().error.code]).toEqual([503, 'memory_exhausted']);
    expect(refused.headers['retry-after']).toBe('2');
    for (const socket of held) socket.destroy();
    await waitFor(async () => (await bufferedBytes(world)) === 0, { what: 'the bodies given back' });
    expect((await world.send('/v1/chat/completions', request)).status).toBe(200);
  });

  test('counts what has arrived, whatever was announced', async () => {
    await using world = await startWorld({ env: { GATEHOUSE_MAX_BUFFERED_BYTES: String(6 * MIB) } });
    const held = Array.from({ length: 30 }, () => halfSent(world.port, { announced: 2_000_000, sent: 1_000 }));
    await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 30, { what: 'all in flight' });
    expect(await bufferedBytes(world)).toBeLessThan(30 * 128 * 1024);
    const answer = await world.send('/v1/chat/completions', { headers: { 'x-gw-provider': '@openai' }, body: CHAT });
    expect(answer.status).toBe(200);
    for (const socket of held) socket.destroy();
  });

  test('refuses at once a body that could never find room', async () => {
    await using world = await startWorld({ env: { GATEHOUSE_MAX_BUFFERED_BYTES: String(6 * MIB) } });
    const body = { ...CHAT, user: 'u'.repeat(2 * MIB) };
    const answer = await world.send('/v1/chat/completions', { headers: { 'x-gw-provider': '@openai' }, body });
    expect([answer.status, answer.json().error.code]).toEqual([413, 'body_too_large']);
  });

  test.for(['gzip', 'x-gzip'])('unpacks %s no further than an answer may be', async (encoding) => {
    const bomb = gzipSync(Buffer.alloc(200 * MIB));
    await using upstream = await startRawUpstream(({ answer }) =>
      answer(200, bomb, { 'content-type': 'application/json', 'content-encoding': encoding }),
    );
    await using gateway = await startRaw(upstream.url, { GATEHOUSE_MAX_RESPONSE_BYTES: String(MIB) });
    const sending = gateway.send('/v1/chat/completions', { headers: TO_RAW, body: CHAT });
    const peak = await peakDuring(gateway, sending);
    const answer = await sending;
    expect([answer.status, answer.json().error.type]).toEqual([502, 'upstream_response_too_large']);
    expect(peak).toBeLessThan(2 * MIB);
  });

  test('sends an upload on without keeping it when there is no room to keep it', async () => {
    await using world = await startWorld({ env: { GATEHOUSE_MAX_BUFFERED_BYTES: String(MIB) } });
    const answer = await world.send('/v1/echo', {
      method: 'POST',
      headers: { 'x-gw-provider': '@openai', 'content-type': 'application/octet-stream' },
      body: Buffer.alloc(5 * MIB, 'x'),
    });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ body_bytes: 5 * MIB });
    expect(answer.headers['x-gw-body-replayable']).toBe('false');
    await waitFor(async () => (await bufferedBytes(world)) === 0, { what: 'everything given back' });
  });
});
