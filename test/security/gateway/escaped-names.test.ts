/** Names of members with escapes, behind a caller who has taught Node's JSON.parse to misread them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import { provider } from '../../kit/snapshot.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [provider('narrow', { customHost: `${url}/v1`, models: ['mock-small'] })],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const PADDING = 'x'.repeat(100_000);

async function ask(body: string): Promise<number> {
  const headers = { 'x-gw-provider': '@narrow', 'content-type': 'application/json' };
  const answer = await world.send('/v1/chat/completions', { method: 'POST', headers, body });
  return answer.status;
}

const members = '"messages":[{"role":"user","content":"hi"}]';

describe('a list of models holds after a caller sent names that end with a backslash', () => {
  test.for([
    { member: 'engine', last: 'e', padding: '' },
    { member: 'fallbacks', last: 's', padding: '' },
    { member: 'engine', last: 'e', padding: PADDING },
  ])('for $member beside a text of $padding.length characters', async ({ member, last, padding }) => {
    const start = `{"model":"mock-small",${members},"user":"${padding}"`;
    const stem = member.slice(0, -1);
    const ending = `\\u00${last.charCodeAt(0).toString(16)}`;
    expect(await ask(`${start},"${stem}\\\\":1}`)).toBe(200);
    expect(await ask(`${start},"${stem}${ending}":["mock-large"]}`)).toBe(412);
  });
});

test('an inline config in which a member stands twice is refused', async () => {
  const answer = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': '{"provider":"@narrow","retry":{"attempts":1,"attempt\\u0073":2}}' },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });
  expect(answer.status).toBe(400);
  expect(answer.json().error.message).toContain('two members of the same name');
});

test('the names of one caller do not become those of another', async () => {
  const body = (name: string): string =>
    `{"model":"mock-small",${members},"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","${name}":2}}}]}`;
  expect(await ask(body('pr\\\\'))).toBe(200);
  expect(await ask(body('pr\\u00e9'))).toBe(200);
  const sent = world.mock.requests.at(-1)?.body?.toString() ?? '';
  expect(sent).toMatch(/"pr(?:é|\\u00e9)":2/);
});
