/** The unmodified Anthropic SDK on providers with its format. */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, KEY, key, provider } from '../kit/snapshot.ts';

const BARE = 'gwk_without_a_config_0123456789';

let world: World;
let anthropic: Anthropic;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      config('claude', { provider: '@anthropic' }),
      key({ config: 'claude' }),
      key({ name: 'bare', secret: BARE }),
      provider('listed', {
        provider: 'anthropic',
        customHost: `${url}/v1`,
        models: ['mock-claude', 'mock-small'],
      }),
    ],
  });
  anthropic = new Anthropic({ baseURL: world.url, apiKey: KEY, maxRetries: 0 });
});

afterAll(() => world[Symbol.asyncDispose]());

const model = 'mock-claude';
const messages = [{ role: 'user' as const, content: 'Say hello' }];

describe('the Anthropic SDK', () => {
  test('creates a message', async () => {
    const message = await anthropic.messages.create({ model, messages, max_tokens: 100 });
    expect(message).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn' });
    expect(message.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('Say hello') });
  });

  test('its key ends at the gateway, the stored one goes on', async () => {
    await anthropic.messages.create({ model, messages, max_tokens: 100 });
    const { headers } = lastRequest(world.mock);
    expect(headers['x-api-key']).toBe('sk-anthropic-secret');
    expect(JSON.stringify(headers)).not.toContain(KEY);
    expect(headers['anthropic-version']).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  test('streams a message', async () => {
    const stream = anthropic.messages.stream({ model, messages, max_tokens: 100 });
    expect(await stream.finalText()).toContain('Say hello');
    const { usage } = await stream.finalMessage();
    expect(usage.output_tokens).toBeGreaterThan(0);
  });

  test('uses tools', async () => {
    const tools = [{ name: 'wave', input_schema: { type: 'object' as const, properties: {} } }];
    const message = await anthropic.messages.create({ model, messages, max_tokens: 100, tools });
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'wave' });
  });

  test('counts tokens', async () => {
    const { input_tokens } = await anthropic.messages.countTokens({ model, messages });
    expect(input_tokens).toBeGreaterThan(0);
  });

  test('lists models with their names, page by page', async () => {
    const page = await anthropic.models.list();
    expect(page.data[0]).toMatchObject({ type: 'model', display_name: expect.any(String) });
    expect(Number.isNaN(Date.parse(page.data[0]?.created_at ?? ''))).toBe(false);
    const paged = await Array.fromAsync(anthropic.models.list({ limit: 1 }));
    expect(paged.map(({ id }) => id)).toEqual(page.data.map(({ id }) => id));
  });

  test.for([
    { rule: 'its key', apiKey: 'gwk_wrong', kind: Anthropic.AuthenticationError, type: 'authentication_error' },
    { rule: 'its page', query: { limit: 0 }, kind: Anthropic.BadRequestError, type: 'invalid_request_error' },
  ])('reads the error of a list in its own format: $rule', async ({ apiKey = KEY, query = {}, kind, type }) => {
    const client = new Anthropic({ baseURL: world.url, apiKey, maxRetries: 0 });
    const failure = await client.models.list(query).then(String, (error: unknown) => error);
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ error: { type: 'error', error: { type } } });
  });

  test('lists the models of the workspace when no config names a provider', async () => {
    const client = new Anthropic({ baseURL: world.url, apiKey: BARE, maxRetries: 0 });
    const ids = (await Array.fromAsync(client.models.list())).map(({ id }) => id);
    expect(ids.filter((id) => id.startsWith('@listed/'))).toEqual(['@listed/mock-claude', '@listed/mock-small']);
    expect(ids).toContain('@anthropic/mock-small'); // an account without a list of its own
  });

  test('reaches a provider that its model names, over the default config of its key', async () => {
    const message = await anthropic.messages.create({ model: '@listed/mock-small', messages, max_tokens: 100 });
    expect(message.content[0]).toMatchObject({ type: 'text' });
    const received = lastRequest(world.mock);
    expect([received.headers['x-api-key'], received.json()]).toMatchObject(['sk-listed', { model: 'mock-small' }]);
    const unknown = anthropic.messages.create({ model: '@nosuch/mock-small', messages, max_tokens: 100 });
    await expect(unknown).rejects.toMatchObject({
      status: 400,
      error: { type: 'error', error: { type: 'invalid_request_error', message: expect.stringContaining('@nosuch') } },
    });
  });

  test('learns that its base URL ends in a /v1 too many', async () => {
    const client = new Anthropic({ baseURL: `${world.url}/v1`, apiKey: KEY, maxRetries: 0 });
    const failure = await client.messages.create({ model, messages, max_tokens: 100 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Anthropic.NotFoundError);
    expect(failure).toMatchObject({
      error: { type: 'error', error: { type: 'not_found_error', message: expect.stringContaining('base URL') } },
    });
  });

  test.for([
    { rule: 'a wrong key', apiKey: 'gwk_wrong', kind: Anthropic.AuthenticationError, type: 'authentication_error' },
    { rule: 'an overload', model: 'mock-fail-529', kind: Anthropic.InternalServerError, type: 'overloaded_error' },
    { rule: 'a rate limit', model: 'mock-fail-429', kind: Anthropic.RateLimitError, type: 'rate_limit_error' },
  ])('$rule is an error of its own format', async ({ apiKey = KEY, model: asked = model, kind, type }) => {
    const client = new Anthropic({ baseURL: world.url, apiKey, maxRetries: 0 });
    const failure = await client.messages
      .create({ model: asked, messages, max_tokens: 10 })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ error: { type: 'error', error: { type, message: expect.any(String) } } });
  });

  test('a stream that breaks is an APIError, after what had arrived', async () => {
    const stream = await anthropic.messages.create({ model: 'mock-cut-600', messages, max_tokens: 100, stream: true });
    const seen: unknown[] = [];
    const failure = await (async () => {
      for await (const event of stream) seen.push(event);
    })().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Anthropic.APIError);
    expect(failure).toMatchObject({ error: { type: 'error', error: { type: 'stream_error' } } });
    expect(seen.length).toBeGreaterThan(0);
  });
});
