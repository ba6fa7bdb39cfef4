/** The guide and the README, command by command, against the process they tell a reader to start. */

import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { startProviderHosts } from '../../kit/provider-hosts.ts';
import { type Block, blocksOf } from '../documents.ts';
import { type Checkout, openCheckout, type Running } from './shell.ts';

const guide = blocksOf('docs/guide/standalone.md').filter(({ language }) => language === 'sh');
/** Those that need a cluster are run by test/e2e. */
const readme = blocksOf('README.md').filter(
  ({ language, text }) => language === 'sh' && !/^(helm|kubectl) /.test(text),
);

const startsServer = ({ text }: Block): boolean => /^gatehouse standalone\b/.test(text);
const startsExamples = ({ text }: Block): boolean => text.startsWith('gatehouse standalone --resources examples');
/** Of the README, beside `make run`. */
const startsAlone = ({ text }: Block): boolean => /npx gatehouse standalone|^docker run /.test(text);
const startsMock = ({ text }: Block): boolean => /^gatehouse mock-provider /.test(text);
const definesCommand = ({ text }: Block): boolean => text.startsWith('gatehouse() {');
const isMake = ({ text }: Block): boolean => /^make [a-z]+( |$)/.test(text);

const ADMIN_KEY = 'gwk_given_0123456789abcdef0123456789';

let checkout: Checkout;
let server: Running;
let mock: MockProvider;

beforeAll(async () => {
  mock = await createMockProvider();
  checkout = await openCheckout();
  const [start] = guide.filter(startsExamples);
  server = checkout.start(start?.text ?? 'false');
  await server.shows('curl ');
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  checkout[Symbol.dispose]();
  await mock.close();
});

const ends = guide.filter((block) => !startsServer(block) && !startsMock(block) && !definesCommand(block));

describe('the guide of standalone', () => {
  test('starts what make run starts', () => {
    const [start] = guide.filter(startsExamples);
    const options = start?.text.replace('gatehouse standalone', '').trim();
    expect(packageJson.scripts['start:examples']).toMatch(new RegExp(`standalone ${options}$`));
  });

  test.for(ends)('line $line', async ({ text }) => {
    const { status, out } = await checkout.run(text);
    expect(status, out).toBe(0);
  });

  test.for(guide.filter((block) => startsServer(block) && block !== guide.find(startsExamples)))(
    'line $line',
    async ({ text }) => {
      using other = await openCheckout();
      await using running = other.start(text);
      await running.shows('Gatehouse serves');
    },
  );

  test('shows the log line of a request without a key as it is printed', async () => {
    const [log] = blocksOf('docs/guide/standalone.md').filter(({ text }) => text.includes('KEY_INVALID'));
    const [, shown = 'no line', why = 'no reason'] =
      /^\S+ +(.*?) {2}\d+ ms {2}(KEY_INVALID: .*) …$/m.exec(log?.text ?? '') ?? [];
    using other = await openCheckout();
    await using running = other.start('gatehouse standalone --resources examples --log-format text');
    await running.shows('Gatehouse serves');
    await other.run('curl --request POST http://127.0.0.1:8787/v1/chat/completions');
    await running.shows('KEY_INVALID');
    expect(running.out).toContain(`  ${shown}  `);
    expect(running.out).toContain(` ms  ${why} `);
  });

  test.for(guide.filter(startsMock))('line $line', async ({ text }) => {
    await using mock = checkout.start(text.replace('8790', '8791'));
    await mock.shows(/http:\/\//);
  });
});

describe('the README', () => {
  test('begins with make run and make test', () => {
    expect(readme.filter(isMake).map(({ text }) => text.split('\n')[0])).toEqual(['make run', 'make test']);
    expect(readme.slice(0, 1).filter(isMake)).toHaveLength(1);
  });

  test.for(readme.filter((block) => !isMake(block) && !startsAlone(block)))('line $line', async ({ text }) => {
    const { status, out } = await checkout.run(text);
    expect(status, out).toBe(0);
  });

  test.for(readme.filter(startsAlone))('line $line serves the provider whose key it gets', async ({ text }) => {
    await using hosts = await startProviderHosts(['api.openai.com'], mock.url);
    const given = { GATEHOUSE_ADMIN_KEY: ADMIN_KEY, OPENAI_API_KEY: 'sk-your-own-key' };
    using other = await openCheckout({ ...hosts.env, ...given });
    await using running = other.start(text);
    await running.shows('The OpenAI SDK');
    const [, shown] = /^( {2}curl (?:.*\\\n)+.*)$/m.exec(running.out) ?? [];
    const { status, out } = await other.run(shown ?? 'false');
    expect(status, out + running.out).toBe(0);
    expect(hosts.calls).toMatchObject([{ host: 'api.openai.com', credential: 'sk-your-own-key' }]);
  });

  test('shows the request that the process prints', () => {
    const [curl] = readme.filter(({ text }) => text.startsWith('curl '));
    const flat = (text: string): string => text.replaceAll(/\\\n\s*/g, '').replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');
    expect(flat(server.out)).toContain(flat(curl?.text ?? 'no request'));
  });
});
