/** The model that a config sets passed the list of an account for a body that is not JSON, which no config changes. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { provider } from '../kit/snapshot.ts';

test('a config names no listed model for bytes that name another one', async () => {
  await using world = await startWorld({
    entries: ({ url }) => provider('narrow', { customHost: `${url}/v1`, models: ['whisper-1'] }),
  });
  const config = { provider: '@narrow', override_params: { model: 'whisper-1' } };
  const answer = await world.send('/v1/proxy/audio/transcriptions', {
    headers: { 'content-type': 'multipart/form-data; boundary=x; boundary=x', 'x-gw-config': JSON.stringify(config) },
    body: Buffer.from(
      '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nother\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--x--\r\n',
    ),
  });
  expect([answer.status, world.mock.requests.length], answer.text).toEqual([412, 0]);
});
