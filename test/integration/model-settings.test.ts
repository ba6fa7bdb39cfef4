/** Models of an account with a host or headers of their own: docs/guide/tenancy.md#settings-of-single-models. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, provider } from '../kit/snapshot.ts';

let common: RawUpstream;
let apart: RawUpstream;
let world: World;

beforeAll(async () => {
  const start = (): Promise<RawUpstream> => startRawUpstream((reply) => reply.answer(200, '{"choices":[]}'));
  [common, apart] = await Promise.all([start(), start()]);
  world = await startWorld({
    entries: () => [
      provider('account', {
        customHost: `${common.url}/v1`,
        headers: { 'x-team': 'all', 'x-tier': 'standard' },
        modelNames: { elsewhere: 'elsewhere', labelled: 'labelled', tuned: 'tuned' },
        modelHosts: { elsewhere: `${apart.url}/v1` },
        modelHeaders: { labelled: { 'X-Tier': 'fast' } },
        modelMarks: { tuned: ['custom', 'finetune'] },
        baseModels: { tuned: 'gpt-4o' },
      }),
      config('renamed', { provider: '@account', override_params: { model: 'elsewhere' } }),
    ],
  });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await Promise.all([common[Symbol.asyncDispose](), apart[Symbol.asyncDispose]()]);
});

const ask = (model: string, headers: Record<string, string> = { 'x-gw-provider': '@account' }) =>
  world.send('/v1/chat/completions', { headers, body: { model, messages: [{ role: 'user', content: 'hi' }] } });
const lastHeaders = ({ requests }: RawUpstream) => Object.fromEntries(requests.at(-1)?.headers ?? []);

test('a model with a host of its own is called there, with the credential and headers of the account', async () => {
  const before = common.requests.length;
  expect((await ask('elsewhere')).status).toBe(200);
  expect(common.requests).toHaveLength(before);
  expect(lastHeaders(apart)).toMatchObject({ authorization: 'Bearer sk-account', 'x-team': 'all' });
});

test('the host is that of the model that is called, whoever named it', async () => {
  const before = apart.requests.length;
  expect((await ask('any', { 'x-gw-config': 'renamed' })).status).toBe(200);
  expect((await ask('@account/elsewhere', {})).status).toBe(200);
  expect(apart.requests).toHaveLength(before + 2);
});

test('headers of a model replace those of the account with the same name', async () => {
  expect((await ask('labelled')).status).toBe(200);
  expect(lastHeaders(common)).toMatchObject({ 'x-team': 'all', 'x-tier': 'fast' });
});

test('other models go to the host of the account with its headers', async () => {
  const before = apart.requests.length;
  expect((await ask('gpt-4o')).status).toBe(200);
  expect(apart.requests).toHaveLength(before);
  expect(lastHeaders(common)).toMatchObject({ 'x-tier': 'standard' });
});

test('the list of models says which are custom or fine-tuned, and what they are based on', async () => {
  const list = await world.send('/v1/models', { headers: { 'x-gw-fetch-integrated-models': 'true' } });
  const { data } = list.json();
  expect(data.find(({ slug }: { slug: string }) => slug === 'tuned')).toMatchObject({
    is_custom: true,
    is_finetune: true,
    base_model: 'gpt-4o',
  });
  expect(data.find(({ slug }: { slug: string }) => slug === 'labelled')).not.toHaveProperty('is_custom');
});
