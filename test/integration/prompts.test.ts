/** Saved prompts over sockets: docs/behaviour/prompts.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { baseEntries, lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { eventsOf, type SendOptions } from '../kit/http.ts';
import { config, type Entries, key, partial, policy, prompt, promptVersion, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const SCOPES = ['completions.write', 'prompts.render'];
const CHAT_ONLY = 'gwk_chat_only_0123456789';

const user = (content: string) => [{ role: 'user', content }];

const LIBRARY: Entries = [
  key({ scopes: SCOPES }),
  key({ name: 'chat-only', secret: CHAT_ONLY }),
  partial('style', ['Be polite.', 'Be brief.']),
  prompt('greeting', {
    labels: { production: 1, beta: 2 },
    template: {
      model: 'mock-small',
      provider: 'openai',
      messages: [
        { role: 'system', content: '{{>style}}' },
        { role: 'user', content: 'Greet {{name}}{{#tags}} [{{.}}]{{/tags}}.' },
      ],
      parameters: { temperature: 0.2, max_tokens: 50, stream: true },
    },
  }),
  promptVersion('greeting', 2, { model: 'mock-other', provider: 'openai', messages: user('Version 2 for {{name}}') }),
  promptVersion('greeting', 3, { model: 'mock-other', provider: 'openai', messages: user('Version 3 {{>>extra}}') }),
  prompt('line', { template: { text: 'Complete {{it}}', model: 'mock-small', provider: 'openai' } }),
  prompt('free', { template: { messages: user('No provider, {{name}}') } }),
  prompt('lost', { template: { messages: user('{{>nowhere}}'), provider: 'openai', model: 'm' } }),
  prompt('other', { template: { messages: user('Other for {{name}}'), provider: 'anthropic', model: 'mock-claude' } }),
  prompt('shared', { template: { messages: user('Of the organisation'), provider: 'openai', model: 'm' } }, null),
  config('by-prompt', {
    strategy: { mode: 'fallback', on_status_codes: [503] },
    targets: [
      { prompt_id: 'greeting@2', override_params: { model: 'mock-fail-503' } },
      { prompt_id: 'other', override_params: { max_tokens: 7 } },
    ],
  }),
  config('no-such-prompt', { prompt_id: 'gone' }),
];

let world: World;
beforeAll(async () => {
  world = await startWorld({ entries: () => LIBRARY });
});
afterAll(() => world[Symbol.asyncDispose]());

const call = (path: string, body: object, options: SendOptions = {}) =>
  world.send(path, { headers: {}, ...options, body });
const run = (reference: string, body: object = { variables: { name: 'Ada' } }, options?: SendOptions) =>
  call(`/v1/prompts/${reference}/completions`, body, options);
const render = (reference: string, body: object = { variables: { name: 'Ada' } }, options?: SendOptions) =>
  call(`/v1/prompts/${reference}/render`, body, options);

const bodyOf = (request: { readonly body: Buffer } | undefined): Record<string, unknown> =>
  JSON.parse(String(request?.body));
const sent = () => bodyOf(lastRequest(world.mock));

describe('render', () => {
  test('answers the body that a provider would get, and calls none', async () => {
    const before = world.mock.requests.length;
    const answer = await render('greeting', { variables: { name: 'Ada "A"', tags: ['x', 'y'] }, temperature: 1 });
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        success: true,
        data: {
          model: 'mock-small',
          temperature: 1,
          max_tokens: 50,
          messages: [
            { role: 'system', content: 'Be polite.' },
            { role: 'user', content: 'Greet Ada "A" [x] [y].' },
          ],
        },
      },
    ]);
    expect(world.mock.requests).toHaveLength(before);
  });

  test.for([
    { reference: 'greeting', want: 'Greet Ada.' },
    { reference: 'greeting@1', want: 'Greet Ada.' },
    { reference: 'greeting@production', want: 'Greet Ada.' },
    { reference: 'greeting@beta', want: 'Version 2 for Ada' },
    { reference: 'greeting%402', want: 'Version 2 for Ada' },
    { reference: 'greeting@latest', want: 'Version 3 Be brief.' },
    { reference: 'shared', want: 'Of the organisation' },
  ])('$reference', async ({ reference, want }) => {
    const answer = await render(reference, { variables: { name: 'Ada', extra: 'style@2' } });
    expect(answer.status).toBe(200);
    const { data } = answer.json() as { data: { messages: readonly { content: string }[] } };
    expect(data.messages.at(-1)?.content).toBe(want);
  });

  test('needs its scope', async () => {
    const answer = await render('greeting', {}, { headers: { 'x-gw-api-key': CHAT_ONLY } });
    expect(answer.status).toBe(403);
  });
});

describe('a call of a prompt', () => {
  test('goes to its provider with its model, and what the call says comes first', async () => {
    const answer = await run('greeting', { variables: { name: 'Ada' }, temperature: 0.9, user: 'u' });
    expect([answer.status, answer.headers['x-gw-provider']]).toEqual([200, 'openai']);
    expect((answer.json() as { object: string }).object).toBe('chat.completion');
    expect(lastRequest(world.mock).path).toBe('/v1/chat/completions');
    expect(sent()).toEqual({
      model: 'mock-small',
      temperature: 0.9,
      max_tokens: 50,
      user: 'u',
      messages: [
        { role: 'system', content: 'Be polite.' },
        { role: 'user', content: 'Greet Ada.' },
      ],
    });
  });

  test('is a text completion where the prompt is a text', async () => {
    const answer = await run('line', { variables: { it: 'this "line"\n' } });
    expect([answer.status, (answer.json() as { object: string }).object]).toEqual([200, 'text_completion']);
    expect(sent()).toEqual({ model: 'mock-small', prompt: 'Complete this "line"\n' });
  });

  test('streams where the call asks for it, whatever is stored', async () => {
    const answer = await run('greeting', { variables: { name: 'Ada' }, stream: true });
    expect(answer.headers['content-type']).toContain('text/event-stream');
    expect(eventsOf(answer.text).at(-1)?.data).toBe('[DONE]');
  });

  test('takes the provider that a header names', async () => {
    expect((await run('greeting', {}, { headers: { 'x-gw-provider': '@anthropic' } })).headers['x-gw-provider']).toBe(
      'anthropic',
    );
    const free = await run('free', { variables: {}, model: '@openai/mock-small' });
    expect([free.status, sent()['model']]).toEqual([200, 'mock-small']);
  });

  test('is logged with its prompt', async () => {
    const { headers } = await run('greeting@beta');
    const line = await waitFor(
      () => world.logs.find((row) => row['traceId'] === headers['x-gw-trace-id'] && row['prompt'] !== undefined),
      { what: 'the line of the request' },
    );
    expect(line).toMatchObject({ prompt: 'greeting@2', operation: 'promptComplete' });
  });

  test.for([
    {
      what: 'an unknown prompt',
      reference: 'greting',
      body: {},
      status: 404,
      code: 'prompt_unknown',
      text: 'greeting',
    },
    {
      what: 'an unknown version',
      reference: 'greeting@9',
      body: {},
      status: 404,
      code: 'prompt_unknown',
      text: 'version',
    },
    {
      what: 'an unknown label',
      reference: 'greeting@gone',
      body: {},
      status: 404,
      code: 'prompt_unknown',
      text: 'label',
    },
    {
      what: 'a missing partial',
      reference: 'lost',
      body: {},
      status: 400,
      code: 'prompt_partials_missing',
      text: 'nowhere',
    },
    {
      what: 'a missing variable partial',
      reference: 'greeting@3',
      body: {},
      status: 400,
      code: 'prompt_partials_missing',
      text: 'extra',
    },
    {
      what: 'variables that are no object',
      reference: 'greeting',
      body: { variables: ['a'] },
      status: 400,
      code: 'parameter_invalid',
      text: 'variables',
    },
    { what: 'no provider', reference: 'free', body: {}, status: 400, code: 'provider_required', text: 'x-gw-provider' },
  ])('with $what is refused', async ({ reference, body, status, code, text }) => {
    const answer = await run(reference, body);
    expect([answer.status, answer.json()]).toEqual([
      status,
      expect.objectContaining({
        status: 'failure',
        message: expect.stringContaining(text),
        error: expect.objectContaining({ code }),
      }),
    ]);
  });

  test('that would never end to render is refused', async () => {
    const variables = { name: 'x', tags: Array(200_000).fill('') };
    expect(await run('greeting', { variables }).then(({ status }) => status)).toBe(400);
  });
});

describe('a prompt in a chat completion', () => {
  const chat = (body: object) => call('/v1/chat/completions', body);

  test('comes before the messages of the call', async () => {
    const answer = await chat({ prompt_id: 'greeting@2', variables: { name: 'Ada' }, messages: user('And?'), seed: 1 });
    expect(answer.status).toBe(200);
    expect(sent()).toEqual({
      model: 'mock-other',
      seed: 1,
      messages: [...user('Version 2 for Ada'), ...user('And?')],
    });
  });

  test.for([
    { path: '/v1/chat/completions', id: 'line', why: 'POST /v1/completions' },
    { path: '/v1/completions', id: 'greeting', why: 'POST /v1/chat/completions' },
    { path: '/v1/messages', id: 'greeting', why: 'no saved prompts' },
    { path: '/v1/responses', id: 'greeting', why: 'no saved prompts' },
  ])('of $path that is none for $id is refused', async ({ path, id, why }) => {
    const answer = await call(path, { prompt_id: id, model: '@openai/mock-small', max_tokens: 1 });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(why)]);
  });
});

describe('a config with prompts', () => {
  test('renders that of each target', async () => {
    const before = world.mock.requests.length;
    const answer = await run('greeting', { variables: { name: 'Ada' } }, { headers: { 'x-gw-config': 'by-prompt' } });
    expect([answer.status, answer.headers['x-gw-provider']]).toEqual([200, 'anthropic']);
    const [first, second] = world.mock.requests.slice(before);
    expect(bodyOf(first)).toMatchObject({ model: 'mock-fail-503', messages: user('Version 2 for Ada') });
    expect(bodyOf(second)).toMatchObject({ model: 'mock-claude', max_tokens: 7 });
    expect(JSON.stringify(bodyOf(second))).toContain('Other for Ada');
  });

  test('is refused elsewhere, and with prompts that do not exist', async () => {
    const headers = { 'x-gw-config': 'by-prompt' };
    const chat = await call('/v1/chat/completions', { model: 'm', messages: [] }, { headers });
    expect([chat.status, chat.text]).toEqual([400, expect.stringContaining('/v1/prompts/{prompt_id}/completions')]);
    const gone = await run('greeting', {}, { headers: { 'x-gw-config': 'no-such-prompt' } });
    expect([gone.status, gone.text]).toEqual([400, expect.stringContaining('gone')]);
  });
});

describe('policies', () => {
  test('know the prompt of a call', async () => {
    await using limited = await startWorld({
      entries: () => [
        ...LIBRARY,
        policy('RateLimitPolicy:one', {
          conditions: [{ key: 'prompt', values: ['greeting'] }],
          groupBy: [{ key: 'prompt' }],
          rate: { type: 'requests', unit: 'rpd', value: 1 },
        }),
      ],
    });
    const ask = (reference: string) => limited.send(`/v1/prompts/${reference}/completions`, { body: {} });
    expect((await ask('greeting')).status).toBe(200);
    expect((await ask('greeting@2')).status).toBe(429);
    expect((await ask('line')).status).toBe(200);
  });
});

describe('a new Snapshot', () => {
  test('moves labels, and a published partial changes all who include it', async () => {
    await using moving = await startWorld({ entries: () => LIBRARY });
    const shown = async (reference: string): Promise<unknown> => {
      const { data } = (await moving.send(`/v1/prompts/${reference}/render`, { body: {} })).json() as {
        data: { messages: readonly { content: string }[] };
      };
      return data.messages[0]?.content;
    };
    expect([await shown('greeting'), await shown('greeting@beta')]).toEqual(['Be polite.', 'Version 2 for ']);
    const template = { messages: user('{{>style}}') };
    await moving.load(
      ...baseEntries(moving.mock),
      workspace(),
      key({ scopes: SCOPES }),
      partial('style', ['Be polite.', 'Be brief.'], 2),
      prompt('greeting', { labels: { beta: 1 }, template }),
      prompt('second', { template }),
    );
    expect([await shown('greeting@beta'), await shown('second')]).toEqual(['Be brief.', 'Be brief.']);
    expect((await moving.send('/v1/prompts/greeting@production/render', { body: {} })).status).toBe(404);
  });
});
