/** A proxied stream of JSON lines or AWS messages that broke got server-sent events appended to it. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { open } from '../kit/http.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { KEY } from '../kit/snapshot.ts';

const BYTES = '{"a":1}\n{"b":';

test.for(['application/x-ndjson', 'application/vnd.amazon.eventstream'])(
  '%s is cut, not written into',
  async (type) => {
    await using world = await startWorld();
    const arrived = Promise.withResolvers<void>();
    await using upstream = await startRawUpstream(async (reply) => {
      await reply.head(200, { 'content-type': type, 'transfer-encoding': 'chunked' });
      await reply.chunk(BYTES);
      await arrived.promise;
      reply.reset();
    });
    const { response } = await open(`${world.url}/v1/chat`, {
      headers: { 'x-gw-api-key': KEY, 'x-gw-provider': 'openai', 'x-gw-custom-host': upstream.url },
      body: {},
    });
    const pieces: Buffer[] = [];
    const reading = (async () => {
      for await (const piece of response) {
        pieces.push(piece as Buffer); // no encoding is set
        if (Buffer.concat(pieces).length >= BYTES.length) arrived.resolve();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(Buffer.concat(pieces).toString()).toBe(BYTES);
  },
);
