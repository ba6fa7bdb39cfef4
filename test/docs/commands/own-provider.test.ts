/** The page on real providers, step by step, against a server that has their host names. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProviderHosts, startProviderHosts } from '../../kit/provider-hosts.ts';
import { type Block, blocksOf } from '../documents.ts';
import { openCheckout } from './shell.ts';

const page = blocksOf('docs/guide/own-provider.md');
const shell = page.filter(({ language }) => language === 'sh');
const isStart = ({ text }: Block): boolean => /^gatehouse standalone/m.test(text);
const [request] = shell.filter(({ text }) => text.startsWith('curl '));
const [steps] = shell.filter(({ text }) => text.startsWith('cp '));
const [folder] = page.filter(({ language }) => language === 'yaml');
const ADMIN_KEY = 'gwk_given_0123456789abcdef0123456789';
const APP_KEY = 'gwk_example_key_for_trying_only';

let mock: MockProvider;
let hosts: ProviderHosts;
beforeAll(async () => {
  mock = await createMockProvider();
  hosts = await startProviderHosts(['api.openai.com', 'api.anthropic.com'], mock.url);
});
afterAll(async () => {
  await hosts[Symbol.asyncDispose]();
  await mock.close();
});

/** What the block starts answers the request of the page, by the provider's own host and with the key of the block. */
async function expectRealAnswer(start: Block | undefined, key: string): Promise<void> {
  using checkout = await openCheckout({ ...hosts.env, GATEHOUSE_ADMIN_KEY: key });
  mkdirSync(join(checkout.folder, 'my-gateway'));
  writeFileSync(join(checkout.folder, 'my-gateway/openai.yaml'), folder?.text ?? '');
  const made = await checkout.run(steps?.text ?? 'false');
  expect(made.status, made.out).toBe(0);
  const before = hosts.calls.length;
  await using server = checkout.start(start?.text ?? 'false');
  await server.shows('Gatehouse serves');
  const { status, out } = await checkout.run(request?.text ?? 'false');
  expect(status, out + server.out).toBe(0);
  expect(hosts.calls.slice(before)).toEqual([
    { host: 'api.openai.com', path: '/v1/chat/completions', credential: 'sk-your-own-key' },
  ]);
  expect(server.out).not.toMatch(/is set, but|is empty/);
}

const starts = shell.filter(isStart);

describe('a real provider answers', () => {
  test('with a variable', () => expectRealAnswer(starts[0], ADMIN_KEY));
  test('with a folder', () => expectRealAnswer(starts[1], ADMIN_KEY));
  test('with the changed examples', () => expectRealAnswer(starts[2], ADMIN_KEY));
});

test('every block of the page has a test', () => {
  expect(shell).toHaveLength(starts.length + 2);
  expect(starts).toHaveLength(3);
});

test.for([
  { rule: 'customHost stays', forgotten: /^sed.*customHost.*$/m, remark: /providers\.yaml:\d+:\d+: .*customHost/ },
  {
    rule: 'the placeholder stays',
    forgotten: /^sed.*secrets.*$/m,
    remark: /secrets\.yaml:\d+:\d+: .*leave it empty/,
  },
])('where $rule, the start message says where', async ({ forgotten, remark }) => {
  using checkout = await openCheckout();
  await checkout.run((steps?.text ?? 'false').replace(forgotten, ''));
  await using server = checkout.start(`${starts[2]?.text} --mock-provider 8790`);
  await server.shows(APP_KEY);
  expect(server.out).toMatch(remark);
});
