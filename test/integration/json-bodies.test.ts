/** JSON as people and editors write it: with a byte order mark, and with mistakes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';

const MARK = '\ufeff';
const BODY = '{"model":"mock-small","messages":[{"role":"user","content":"hi"}]}';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

const send = (path: string, body: string) =>
  world.send(path, {
    method: 'POST',
    headers: { 'x-gw-provider': '@openai', 'content-type': 'application/json' },
    body,
  });

test.for([{ path: '/v1/chat/completions' }, { path: '/v1/echo' }])(
  'a body with a byte order mark is read, and its mark does not reach the provider of $path',
  async ({ path }) => {
    const { status } = await send(path, MARK + BODY);
    expect(status).toBe(200);
    expect(lastRequest(world.mock).body.includes(MARK)).toBe(false);
    expect(lastRequest(world.mock).json()).toMatchObject({ model: 'mock-small' });
  },
);

test('a mistake in a body is named by line and column, and nothing of the body is quoted', async () => {
  const { status, text } = await send('/v1/chat/completions', '{\n  "model": "mock-small",\n  "api_key": sk-secret\n}');
  expect(status).toBe(400);
  expect(text).toContain('line 3, column 14');
  expect(text).not.toContain('secret');
});
