import { expect, test } from 'vitest';
import { fromGeminiPath } from './gemini-paths.ts';

test.for([
  ['/v1beta/models/m:generateContent', '/v1beta/models/m/generateContent'],
  ['/v1beta/models/@a/m:streamGenerateContent?alt=sse', '/v1beta/models/@a%2Fm/streamGenerateContent?alt=sse'],
  ['/v1beta/models/@a%2Fm%3AembedContent', '/v1beta/models/@a%2Fm/embedContent'],
  ['/v1alpha/models/llama3:8b:generateContent', '/v1beta/models/llama3:8b/generateContent'],
  ['/v1beta/models?pageSize=5', '/v1beta/models?pageSize=5'],
  ['/v1beta/models/m/generateContent', '/v1beta/models/m/generateContent'],
  ['/v1beta/models/m:countTokens', '/v1beta/models/m/countTokens'],
  ['/v1beta/models/m:predict', '/v1/proxy/v1beta/models/m:predict'],
  ['/v1alpha/cachedContents/c?a=b', '/v1/proxy/v1alpha/cachedContents/c?a=b'],
  ['/upload/v1beta/files', '/v1/proxy/upload/v1beta/files'],
  ['/v1beta2/models/m:generateContent', '/v1beta2/models/m:generateContent'],
  ['/v1beta', '/v1beta'],
] as const)('%s leads to %s, whoever sends it', ([target, want]) => {
  expect([fromGeminiPath(target, true), fromGeminiPath(target, false)]).toEqual([want, want]);
});

test.for([
  ['/v1/models/@a/m:generateContent', '/v1beta/models/@a%2Fm/generateContent'],
  ['/v1/models?pageSize=5', '/v1beta/models?pageSize=5'],
  ['/v1/models/m:predict', '/v1/proxy/v1/models/m:predict'],
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1/models/m', '/v1/models/m'],
  ['/v1/proxy/v1beta/models/m:generateContent', '/v1/proxy/v1beta/models/m:generateContent'],
] as const)('%s leads to %s for a client of Google alone', ([target, want]) => {
  expect([fromGeminiPath(target, true), fromGeminiPath(target, false)]).toEqual([want, target]);
});
