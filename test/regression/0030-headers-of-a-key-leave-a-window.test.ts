/** Of an encrypted private key only the first line was known until its end came: headers and lines had left before the stream was cut. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';

const WORDS = 'some words of an answer '.repeat(40);
const LINES = `${'MIIEvQIBADANBgkq'.repeat(4)}\n`.repeat(30);
const KEY = `-----BEGIN RSA ${'PRIVATE'} KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-256-CBC,${'0A1B2C3D'.repeat(4)}

${LINES}QUJD
-----END RSA ${'PRIVATE'} KEY-----`;

test.for([16, 100, 1_000])('nothing of an encrypted key leaves a stream with windows of %i', async (window) => {
  await using world = await startWorld();
  const redact = { 'default.pii': { categories: ['SECRET'], redact: true }, deny: false, window };
  const sent = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': JSON.stringify({ provider: '@openai', output_guardrails: [redact] }) },
    body: { model: 'mock-small', stream: true, messages: [{ role: 'user', content: `${WORDS}${KEY}\n${WORDS}` }] },
  });
  const said = [...sent.text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('');
  expect(said).toContain(`${WORDS}[SECRET_1]\\nsome words of an answer`);
  expect(sent.text).not.toMatch(/Proc-Type|DEK-Info|MIIE/);
  expect(sent.text).toContain('data: [DONE]');
});
