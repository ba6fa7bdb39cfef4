/** The page on images and audio: its requests against the mock provider. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_TARGET_CAPS, parseInlineConfig } from '@gatehouse/crds/config';
import { expect, test } from 'vitest';
import { blocksOf } from '../documents.ts';
import { openCheckout } from './shell.ts';

const page = blocksOf('docs/guide/images-and-audio.md');
const textsOf = (language: string): readonly string[] =>
  page.filter((block) => block.language === language).map(({ text }) => text);

test('the requests of the page are answered', async () => {
  const [start = 'false', image = 'false', speech = 'false', transcription = 'false', moderation = 'false'] =
    textsOf('sh');
  using checkout = await openCheckout({ GATEHOUSE_ADMIN_KEY: 'gwk_given_0123456789abcdef0123456789' });
  await using server = checkout.start(start);
  await server.shows('Gatehouse serves');
  const drawn = await checkout.run(image);
  expect([drawn.status, JSON.parse(drawn.out).data], drawn.out).toEqual([0, [{ b64_json: expect.any(String) }]]);
  expect((await checkout.run(speech)).status).toBe(0);
  const { size } = statSync(join(checkout.folder, 'speech.mp3'));
  expect(size).toBeGreaterThan(1_000);
  expect((await checkout.run(transcription)).out).toContain(`speech.mp3, ${size} bytes`);
  expect(JSON.parse((await checkout.run(moderation)).out).results).toMatchObject([{ flagged: true }]);
});

test('every shell block has been run, and the config is one', () => {
  expect(textsOf('sh')).toHaveLength(5);
  const [config = ''] = textsOf('json');
  expect(parseInlineConfig(JSON.parse(config), { caps: DEFAULT_TARGET_CAPS, saved: false })).toMatchObject({
    ok: true,
  });
});
