/** The page on batches: its requests against the mock provider. */
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { blocksOf } from '../documents.ts';
import { openCheckout } from './shell.ts';

const commands = blocksOf('docs/guide/batches.md')
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text);

test('the file of the page is kept, and it is one that a batch takes', async () => {
  const [start = 'false', write = 'false', upload = 'false', ...more] = commands;
  expect(more).toEqual([]);
  using checkout = await openCheckout({ GATEHOUSE_ADMIN_KEY: 'gwk_given_0123456789abcdef0123456789' });
  await using server = checkout.start(start);
  await server.shows('Gatehouse serves');
  expect((await checkout.run(write)).status).toBe(0);
  const { id } = JSON.parse((await checkout.run(upload)).out);
  expect(id).toMatch(/^gw_file_/);
  const body = JSON.stringify({ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' });
  const call = `curl -s http://127.0.0.1:8787/v1/batches -H "authorization: Bearer $GATEHOUSE_ADMIN_KEY" -H 'x-gw-provider: gw'`;
  const batch = JSON.parse((await checkout.run(`${call} -H 'content-type: application/json' -d '${body}'`)).out);
  const read = call.replace('/v1/batches', `/v1/batches/${batch.id}`);
  const ended = await waitFor(
    async () => {
      const { out } = await checkout.run(read);
      return out.includes('"status":"completed"') && out;
    },
    { what: 'the end of the batch' },
  );
  expect(JSON.parse(ended || '{}').request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
});
