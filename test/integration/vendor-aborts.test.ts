/** Clients that leave in the middle of a file or an output: nothing is read for them any more. */
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { type RawReply, type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const RESULTS = '/v1/messages/batches/msgbatch_1/results';
const ENDED = JSON.stringify({ id: 'msgbatch_1', processing_status: 'ended', results_url: `https://h${RESULTS}` });
const ROW = '{"custom_id":"a","result":{"type":"expired"}}\n';

/** Only connections of answers that are under way are open. */
const CLOSE = { connection: 'close' };

/** Sends one row, and then nothing. */
async function stalls({ request: { target }, head, chunk, answer }: RawReply): Promise<void> {
  if (target === '/v1/messages/batches/msgbatch_1') return answer(200, ENDED, CLOSE);
  if (target === '/v1/batches/b') return answer(200, '{"output_file_id":"f"}', CLOSE);
  await head(200, { 'transfer-encoding': 'chunked' });
  await chunk(target === RESULTS ? ROW : chatRow('a', 'Hi'));
}

const stalled = async (run: (url: string, upstream: RawUpstream) => Promise<void>): Promise<void> => {
  await using upstream = await startRawUpstream(stalls);
  const customHost = `${upstream.url}/v1`;
  await using world = await startWorld({
    env: { GATEHOUSE_STREAM_IDLE_TIMEOUT_MS: '600000' }, // not what ends them
    entries: () => [provider('raw', { customHost }), provider('claude', { provider: 'anthropic', customHost })],
  });
  await run(world.url, upstream);
  await waitFor(() => upstream.connections.size === 0, { what: 'the end of the calls to the provider' });
};

test.for([
  { name: '@raw', path: '/v1/files/f/content' },
  { name: '@raw', path: '/v1/batches/b/output' },
  { name: '@claude', path: '/v1/batches/msgbatch_1/output' },
  { name: '@claude', path: '/v1/files/msgbatch_1/content' },
])('$path of $name that nobody waits for any more ends at the provider, too', async ({ name, path }) => {
  await stalled(async (url) => {
    const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': name };
    const call = get(`${url}${path}`, { headers });
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    await once(response, 'data');
    response.destroy();
  });
});

test('a batch whose client leaves while its rows are awaited is not created, and its file is not read on', async () => {
  await stalled(async (url, upstream) => {
    const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@claude', 'content-type': 'application/json' };
    const call = request(`${url}/v1/batches`, { method: 'POST', headers });
    call.on('error', () => undefined); // it is broken off
    call.end('{"input_file_id":"file_1"}');
    await waitFor(() => upstream.requests.length === 2, { what: 'the beginning of the batch' });
    call.destroy();
  });
});
