/** The guide for those who come from another gateway, command by command. */
import { expect, test } from 'vitest';
import { blocksOf } from '../documents.ts';
import { openCheckout } from './shell.ts';

test('with one variable a request of another gateway is answered, by its names', async () => {
  const [start, request, ...others] = blocksOf('docs/guide/other-gateways.md').filter(
    ({ language }) => language === 'sh',
  );
  expect(others).toEqual([]);
  using checkout = await openCheckout();
  await using server = checkout.start(start?.text ?? 'false');
  await server.shows('Gatehouse serves');
  const { status, out } = await checkout.run(request?.text ?? 'false');
  expect(status, out).toBe(0);
  expect(out).toMatch(/^x-gw-trace-id: my-first-trace\r$/m);
  expect(out).toMatch(/^x-portkey-trace-id: my-first-trace\r$/m);
});
