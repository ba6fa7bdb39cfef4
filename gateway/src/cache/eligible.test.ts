import { expect, test } from 'vitest';
import { type CacheCandidate, isCacheEligible } from './eligible.ts';

test.for<{ rule: string; over: Partial<CacheCandidate>; want: boolean }>([
  { rule: 'a chat completion is', over: {}, want: true },
  { rule: 'an embedding is', over: { path: '/v1/embeddings' }, want: true },
  { rule: 'a proxied call is', over: { path: '/v1/rerank' }, want: true },
  { rule: 'GET is not', over: { method: 'GET', path: '/v1/responses/resp_1' }, want: false },
  { rule: 'DELETE is not', over: { method: 'DELETE', path: '/v1/responses/resp_1' }, want: false },
  { rule: 'speech is not', over: { path: '/v1/audio/speech' }, want: false },
  { rule: 'files are not', over: { path: '/v1/files' }, want: false },
  { rule: 'batches are not', over: { path: '/v1/batches/b/cancel' }, want: false },
  { rule: 'batches of a proxied path are not', over: { path: '/v1/proxy/batches' }, want: false },
  { rule: 'batches of a proxied path with its version are not', over: { path: '/v1/proxy/v1/batches' }, want: false },
  { rule: 'batches of messages are not', over: { path: '/v1/messages/batches' }, want: false },
  { rule: 'jobs of a proxied path are not', over: { path: '/v1/proxy/fine_tuning/jobs' }, want: false },
  { rule: 'a chat of a proxied path is', over: { path: '/v1/proxy/v1/chat/completions' }, want: true },
  { rule: 'fine-tuning is not', over: { path: '/v1/fine_tuning/jobs' }, want: false },
  { rule: 'an image edit is not', over: { path: '/v1/images/edits' }, want: false },
  { rule: 'an image generation is', over: { path: '/v1/images/generations' }, want: true },
  { rule: 'a path that only begins alike is', over: { path: '/v1/filesystems' }, want: true },
  { rule: 'a form is not', over: { contentType: 'Multipart/form-data; boundary=x' }, want: false },
  { rule: 'an adapted request is not', over: { path: '/v1/messages', adapted: true }, want: false },
])('$rule eligible', ({ over, want }) => {
  const chat = { method: 'POST', path: '/v1/chat/completions', contentType: 'application/json', adapted: false };
  expect(isCacheEligible({ ...chat, ...over })).toBe(want);
});
