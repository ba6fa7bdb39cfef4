/** Responses that one target of several keeps: docs/behaviour/responses.md#stored-responses. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { config, KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', record: (record) => void records.push(record) };
const targets = (mode: string, ...slugs: string[]): object => ({
  strategy: mode === 'fallback' ? { mode, on_status_codes: [429] } : { mode },
  targets: slugs.map((slug) => ({ provider: slug })),
});
const CONFIGS = {
  'kept-first': targets('fallback', '@openai', '@anthropic', '@second'),
  'kept-last': targets('fallback', '@anthropic', '@second', '@openai'),
  balanced: targets('loadbalance', '@anthropic', '@second', '@openai'),
};
const NAMES = Object.keys(CONFIGS);

beforeAll(async () => {
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      provider('second', { customHost: `${url}/v1/nothing` }),
      ...Object.entries(CONFIGS).map(([name, document]) => config(name, document)),
      config('none', targets('fallback', '@anthropic', '@anthropic')),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const clientOf = (name: string, header = 'x-gw-config') =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, maxRetries: 0, defaultHeaders: { [header]: name } });
const make = () => clientOf('@openai', 'x-gw-provider').responses.create({ model: 'mock-small', input: 'Hi' });
const get = (name: string, method: 'GET' | 'DELETE' = 'GET', path = 'resp_unknown') =>
  world.send(`/v1/responses/${path}`, { method, headers: { 'x-gw-config': name } });

describe.for(NAMES)('with %s', (name) => {
  test('a response is read and deleted wherever it is', async () => {
    const { id } = await make();
    const { responses } = clientOf(name);
    expect(await responses.retrieve(id)).toMatchObject({ id });
    expect((await responses.inputItems.list(id)).data).toHaveLength(1);
    await responses.delete(id);
    await expect(responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test.for(['GET', 'DELETE'] as const)(
    '%s of an unknown one is 404, and says where it was looked for',
    async (method) => {
      records.length = 0;
      const { status, json } = await get(name, method);
      const { message, code, type } = json().error;
      expect([status, code, type]).toEqual([404, 'response_unknown', 'invalid_request_error']);
      for (const target of ['@openai', '@second', '@anthropic, which keeps none']) expect(message).toContain(target);
      await waitFor(() => records.length === 1, { what: 'the record' });
      expect(records[0]).toMatchObject({ answer: { status: 404, error: { code: 'RESPONSE_UNKNOWN' } } });
    },
  );
});

test('of targets that keep none the answer stays that of one', async () => {
  const { status, json } = await get('none');
  expect([status, json().error.code]).toEqual([400, 'operation_unsupported']);
});

test('of one target the answer is its own', async () => {
  const { status, json } = await world.send('/v1/responses/resp_unknown', { headers: { 'x-gw-provider': '@openai' } });
  expect([status, json().error.message]).toEqual([404, expect.stringMatching(/^openai error:/)]);
});
