/** The page on responses: its requests are answered by a provider that has no Responses API. */
import { expect, test } from 'vitest';
import { blocksOf } from '../documents.ts';
import { openCheckout } from './shell.ts';

const blocks = blocksOf('docs/guide/responses.md')
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text);

test('the requests of the page are answered with responses', async () => {
  const [start = 'false', ...requests] = blocks;
  expect(requests).toHaveLength(2);
  using checkout = await openCheckout({ GATEHOUSE_ADMIN_KEY: 'gwk_given_0123456789abcdef0123456789' });
  await using server = checkout.start(start);
  await server.shows('Gatehouse serves');
  for (const request of requests) {
    const { status, out } = await checkout.run(request);
    expect([status, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ object: 'response', status: 'completed', model: expect.stringContaining('claude') }),
    ]);
  }
});
