/** The page on prompts: its resources, its requests, and the answer that it shows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../documents.ts';
import { openCheckout } from './shell.ts';

const page = blocksOf('docs/guide/prompts.md');
const textsOf = (language: string): readonly string[] =>
  page.filter((block) => block.language === language).map(({ text }) => text);

test('the requests of the page are answered as it says', async () => {
  const [start = 'false', render = 'false', complete = 'false'] = textsOf('sh');
  const [resources = ''] = textsOf('yaml');
  const [shown = ''] = textsOf('json');
  using checkout = await openCheckout({ GATEHOUSE_ADMIN_KEY: 'gwk_given_0123456789abcdef0123456789' });
  writeFileSync(join(checkout.folder, 'examples/prompts.yaml'), resources);
  await using server = checkout.start(start);
  await server.shows('Gatehouse serves');
  const rendered = await checkout.run(render);
  expect([rendered.status, JSON.parse(rendered.out)]).toEqual([0, JSON.parse(shown)]);
  const completed = await checkout.run(complete);
  expect([completed.status, JSON.parse(completed.out)]).toEqual([
    0,
    expect.objectContaining({ object: 'chat.completion' }),
  ]);
});

test('every shell block has been run', () => {
  expect(textsOf('sh')).toHaveLength(3);
});
