import { expect, test } from 'vitest';
import { chatAnswer, chatBody, imageBody } from './chat-body.ts';

test.for([
  { rule: 'a request of 1 KiB', text: chatBody(1024), bytes: 1024 },
  { rule: 'a streaming request', text: chatBody(1024, { stream: true }), bytes: 1024 },
  { rule: 'an image of 1 MiB', text: imageBody(1024 * 1024), bytes: 1024 * 1024 },
  { rule: 'an answer of 0.5 KiB', text: chatAnswer(), bytes: 512 },
])('$rule has its size and is JSON', ({ text, bytes }) => {
  expect(Buffer.byteLength(text)).toBe(bytes);
  expect(JSON.parse(text)).toMatchObject({ model: 'gpt-4o' });
});
