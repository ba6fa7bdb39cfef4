/** The page on messages: its resources, and its requests to providers of both kinds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../documents.ts';
import { openCheckout } from './shell.ts';

const page = blocksOf('docs/guide/messages.md');
const textsOf = (language: string): readonly string[] =>
  page.filter((block) => block.language === language).map(({ text }) => text);

test('the requests of the page are answered as messages', async () => {
  const [start = 'false', other = 'false', fallback = 'false'] = textsOf('sh');
  const [resources = ''] = textsOf('yaml');
  using checkout = await openCheckout();
  writeFileSync(join(checkout.folder, 'examples/messages-anywhere.yaml'), resources);
  await using server = checkout.start(start);
  await server.shows('Gatehouse serves');
  for (const request of [other, fallback]) {
    const { status, out } = await checkout.run(request);
    expect([status, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({
        type: 'message',
        model: 'gpt-4o-mini',
        content: [{ type: 'text', text: expect.stringContaining('Say hello') }],
      }),
    ]);
  }
});

test('every shell block has been run', () => {
  expect(textsOf('sh')).toHaveLength(3);
});
