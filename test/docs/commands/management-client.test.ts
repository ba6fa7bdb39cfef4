/** The page on objects from the command line, from its first command to its last, against the examples. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../documents.ts';
import { openCheckout } from './shell.ts';

const KEY = 'gwk_given_0123456789abcdef0123456789';

test('every command works in its order, and says what the page says', async () => {
  const page = blocksOf('docs/guide/management-client.md');
  const [look, apply, remove, toGit, ...others] = page.filter(({ language }) => language === 'sh');
  expect(others).toEqual([]);
  using checkout = await openCheckout({ GATEHOUSE_ADMIN_KEY: KEY, GATEHOUSE_API_KEY: KEY });
  await using server = checkout.start('gatehouse standalone --resources examples');
  await server.shows('Gatehouse serves');
  const run = async (text = 'false'): Promise<string> => {
    const { status, out } = await checkout.run(text);
    expect(status, out).toBe(0);
    return out;
  };
  expect(await run(look?.text)).toMatch(/^openai +active +openai .*kind: GatewayConfig/ms);
  const [said] = page.filter(({ language }) => language === 'text');
  expect(await run(apply?.text)).toContain(`\n${said?.text.trimEnd()}\n`);
  expect(await run(toGit?.text)).toContain('GATEHOUSE_SECRET_SUPPORT_OPENAI_API_KEY');
  expect(existsSync(join(checkout.folder, 'exported/gatewayconfig/support.yaml'))).toBe(true);
  expect(await run(remove?.text)).toContain('VirtualKey/support-openai deleted');
  expect(readdirSync(join(checkout.folder, 'examples/team-a/virtual-key'))).toEqual([]);
});
