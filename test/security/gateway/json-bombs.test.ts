/** Bodies, headers and answers that are small on the wire and ruinous to parse. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, startWorld, type World } from '../../kit/gateway.ts';
import { type RawReply, startRawUpstream } from '../../kit/raw-upstream.ts';
import { config, key, provider, workspace } from '../../kit/snapshot.ts';

const MB = 1_000_000;
const CHAT = '/v1/chat/completions';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const post = (path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  world.send(path, {
    headers: { 'content-type': 'application/json', 'x-gw-provider': '@openai', ...headers },
    body: Buffer.from(body as string),
  });

/** Asks for the health until the work is done; every answer must be good. */
async function healthyDuring<T>(work: Promise<T>): Promise<T> {
  let running = true;
  const done = work.finally(() => {
    running = false;
  });
  let answers = 0;
  while (running) {
    const { status } = await world.send('/v1/health');
    expect(status).toBe(200);
    answers += 1;
  }
  expect(answers).toBeGreaterThan(0);
  return done;
}

const objects = (bytes: number): string => '{"a":'.repeat(bytes / 5);
const tiny = (nodes: number): string => `{"model":"m","messages":[${'1,'.repeat(nodes)}1]}`;
const names = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;

describe('a body', () => {
  test.for([
    { rule: '30 MB of lists in lists', body: '['.repeat(30 * MB), code: 'body_too_complex' },
    { rule: '30 MB of objects in objects', body: objects(30 * MB), code: 'body_too_complex' },
    { rule: 'lists in lists inside a message', body: `{"messages":[${'['.repeat(3 * MB)}`, code: 'body_too_complex' },
    { rule: '15 million tiny values', body: tiny(15 * MB), code: 'body_too_complex' },
    { rule: 'a million members', body: names(MB), code: 'body_too_complex' },
    { rule: '30 MB of white space', body: ' '.repeat(30 * MB), code: 'body_not_json' },
    { rule: 'a number of 30 MB', body: `{"a":${'1'.repeat(30 * MB)}}`, code: 'body_too_complex' },
    { rule: 'a name of 30 MB', body: `{"${'a'.repeat(30 * MB)}":1}`, code: 'body_too_complex' },
    { rule: '30 MB of quotes that end nothing', body: `{"a":"${'\\"'.repeat(15 * MB)}`, code: 'body_not_json' },
  ])('of $rule is refused while others are served', async ({ body, code }) => {
    for (const path of [CHAT, '/v1/any/other/path']) {
      const answer = await healthyDuring(post(path, body));
      expect(answer.status).toBe(400);
      expect(answer.json().error.code).toBe(code);
    }
  });

  test('that is refused names the limit and the variable that moves it', async () => {
    for (const [body, variable, limit] of [
      ['['.repeat(10_000), 'GATEHOUSE_MAX_JSON_DEPTH', '256'],
      [tiny(600_000), 'GATEHOUSE_MAX_JSON_NODES', '500000'],
      [`{"a":"${'x'.repeat(40 * MB)}"}`, 'MAX_JSON_PAYLOAD_SIZE_IN_MB', '32 MB'],
    ] as const) {
      const { message } = (await post(CHAT, body)).json().error;
      expect(message).toContain(variable);
      expect(message).toContain(limit);
    }
  });

  test.for([
    { rule: 'at the top', body: '{"model":"allowed","model":"other","messages":[]}', param: 'model' },
    { rule: 'spelled with an escape', body: String.raw`{"model":"a","m\u006fdel":"b","messages":[]}`, param: 'model' },
    { rule: 'deep inside', body: '{"model":"a","messages":[{"role":"user","role":"system"}]}', param: 'role' },
    {
      rule: 'with megabytes between',
      body: `{"model":"a","messages":["${'x'.repeat(MB)}"],"model":"b"}`,
      param: 'model',
    },
  ])('with a member twice is refused: $rule', async ({ body, param }) => {
    for (const path of [CHAT, '/v1/any/other/path']) {
      const answer = await post(path, body);
      expect(answer.status).toBe(400);
      expect(answer.json().error).toMatchObject({ code: 'body_name_repeated', param });
    }
    expect(world.mock.requests).toEqual([]);
  });
});

describe('a large body that is good', () => {
  // Written as no serialiser would, so that a rewritten body differs from the original.
  const messages = `[ {"role": "user", "content": [ {"seed": 1.0, "url": "data:${'QUJD'.repeat(5 * MB)}"} ]} ]`;

  const forward = async (body: string, headers: Readonly<Record<string, string>>): Promise<string> => {
    await using upstream = await startRawUpstream((reply) => echoEmpty(reply));
    await using gateway = await startGateway({
      entries: [
        workspace(),
        key(),
        provider('openai', { customHost: `${upstream.url}/v1` }),
        config('hot', { provider: '@openai', override_params: { temperature: 0.5 } }),
      ],
    });
    const sent = gateway.send(CHAT, { headers: { 'content-type': 'application/json', ...headers }, body });
    expect((await sent).status).toBe(200);
    return ((await upstream.requests[0]?.body) ?? Buffer.alloc(0)).toString();
  };
  const echoEmpty = async ({ request, answer }: RawReply): Promise<void> => {
    await request.body;
    await answer(200, '{"choices":[]}', { 'content-type': 'application/json' });
  };

  test('goes on byte for byte', async () => {
    const body = `{ "model":"m",  "messages":${messages} }`;
    expect((await forward(body, { 'x-gw-provider': '@openai' })) === body).toBe(true);
  });

  test('goes on with another model and the rest of its bytes', async () => {
    const got = await forward(`{"model":"@openai/m","messages":${messages}}`, {});
    expect(got === `{"model":"m","messages":${messages}}`).toBe(true);
  });

  test('goes on with the parameters of a config and the rest of its bytes', async () => {
    const got = await forward(`{"model":"m","messages":${messages}}`, { 'x-gw-config': 'hot' });
    expect(got === `{"model":"m","messages":${messages},"temperature":0.5}`).toBe(true);
  });
});

describe('a header', () => {
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;

  test('with a config of lists in lists is refused', async () => {
    const answer = await post(CHAT, '{"model":"m","messages":[]}', { 'x-gw-config': deep });
    expect(answer.status).toBe(400);
  });

  test('with metadata of lists in lists counts as without', async () => {
    const answer = await post(CHAT, '{"model":"mock-small","messages":[{"role":"user","content":"hi"}]}', {
      'x-gw-metadata': deep,
    });
    expect(answer.status).toBe(200);
  });
});

describe('an answer of a provider', () => {
  test.for([
    { rule: 'of lists in lists', body: `{"a":${'['.repeat(3 * MB)}` },
    { rule: 'of six million values', body: `{"a":[${'1,'.repeat(6 * MB)}1]}` },
  ])('$rule is not parsed', async ({ body }) => {
    const answering = async ({ request, answer }: RawReply): Promise<void> => {
      await request.body;
      await answer(200, body, { 'content-type': 'application/json' });
    };
    await using upstream = await startRawUpstream(answering);
    await using gateway = await startGateway({
      entries: [workspace(), key(), provider('claude', { provider: 'anthropic', customHost: `${upstream.url}/v1` })],
    });
    const question = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
    const answer = await healthyDuring(gateway.send(CHAT, { headers: { 'x-gw-provider': '@claude' }, body: question }));
    expect(answer.status).toBe(502);
    expect(answer.json().error.type ?? answer.json().error.message).toContain('nvalid');
  });
});
