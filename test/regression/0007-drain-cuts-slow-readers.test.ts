/** A drain counted an answer as finished once it was written, and cut clients that were still reading it. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { open, receive } from '../kit/http.ts';
import { KEY } from '../kit/snapshot.ts';

test('a drain waits until the client has the last byte', async () => {
  await using world = await startWorld({
    env: { GATEHOUSE_DRAIN_ACCEPT_MS: '1', GATEHOUSE_DRAIN_DEADLINE_MS: '240000' },
  });
  const { response } = await open(`${world.url}/v1/chat/completions`, {
    headers: {
      'x-gw-api-key': KEY,
      'x-gw-provider': '@openai',
      'x-gw-forward-headers': 'x-mock-response-bytes',
      'x-mock-response-bytes': '12000000',
    },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });
  const drained = world.gateway.drain();
  const answer = await receive(response);
  expect(answer.bytes.length).toBeGreaterThan(12_000_000);
  await drained;
});
