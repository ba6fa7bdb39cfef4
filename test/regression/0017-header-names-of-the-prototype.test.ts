/** Forwarding a header called `constructor` sent the text of a function to the provider: names were looked up on the prototype. */
import { expect, test } from 'vitest';
import { lastRequest, startWorld } from '../kit/gateway.ts';

test('names of the prototype are headers like any other', async () => {
  await using world = await startWorld();
  const names = ['constructor', '__proto__', 'tostring', 'valueof'];
  const answer = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai', 'x-gw-forward-headers': names.join() },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });
  expect(answer.status).toBe(200);
  expect(names.filter((name) => Object.hasOwn(lastRequest(world.mock).headers, name))).toEqual([]);
});
