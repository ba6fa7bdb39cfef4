/** A window that was cut inside a key redacted its first half alone: the other half left as it was. Each window numbered anew. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';

const WORDS = 'some words of an answer '.repeat(40);
const KEY = `sk-${'proj'}-${'Oj37HyQz'.repeat(20)}`;

test.for([16, 40, 64, 100])('a key in a stream is redacted as a whole, with windows of %i', async (window) => {
  await using world = await startWorld();
  const redact = { 'default.pii': { categories: ['SECRET', 'EMAIL_ADDRESS'], redact: true }, deny: false, window };
  const sent = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': JSON.stringify({ provider: '@openai', output_guardrails: [redact] }) },
    body: {
      model: 'mock-small',
      stream: true,
      messages: [{ role: 'user', content: `one@a.com ${WORDS}${KEY} two@b.com ${WORDS}one@a.com` }],
    },
  });
  const said = [...sent.text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('');
  expect(said).toContain(`[EMAIL_ADDRESS_1] ${WORDS}[SECRET_1] [EMAIL_ADDRESS_2] ${WORDS}[EMAIL_ADDRESS_1]`);
  expect(sent.text).toContain('data: [DONE]');
});
