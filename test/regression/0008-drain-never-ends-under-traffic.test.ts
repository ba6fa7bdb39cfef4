/** A drain went on accepting connections to its deadline, so that steady traffic kept it from ending before. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { open } from '../kit/http.ts';
import { KEY } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const refuses = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const failed = await Promise.race([once(socket, 'connect').then(() => false), once(socket, 'error')]).catch(
    () => true,
  );
  socket.destroy();
  return failed !== false;
};

test('a drain takes no connections after its window, while streams go on', async () => {
  await using world = await startWorld({
    env: { GATEHOUSE_DRAIN_ACCEPT_MS: '20', GATEHOUSE_DRAIN_DEADLINE_MS: '60000' },
  });
  const { response } = await open(`${world.url}/v1/chat/completions`, {
    headers: { 'x-gw-api-key': KEY, 'x-gw-provider': '@openai' },
    body: { model: 'mock-stall-900', stream: true, messages: [{ role: 'user', content: 'hi' }] },
  });
  response.on('error', () => {}); // the end of the test
  void world.gateway.drain();
  await waitFor(() => refuses(world.port), { what: 'the listener is closed' });
  expect(world.mock.requests.at(-1)?.outcome).toBe('open');
});
