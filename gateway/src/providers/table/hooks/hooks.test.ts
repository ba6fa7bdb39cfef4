import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { FilePart } from '../../../wire/openai/index.ts';
import type { BodyHook, JsonObject } from '../../contract.ts';
import { sampleCall } from '../../engine/testing.ts';
import type { RemoteFile } from '../../openai-like/index.ts';
import { databricksChat } from './databricks.ts';
import { deepseekChat, withoutReasoningHistory } from './deepseek.ts';
import { promptUsageFromTotal, vectorsAsData, withoutFloatFormat } from './embeddings.ts';
import { stringErrorWithStatus, textWithStatus } from './errors.ts';
import { roleAndUsage, roleUsageAndEnd, stableId, untypedDelta } from './fill.ts';
import { inputAsList } from './input.ts';
import { mistralFile, mistralIds, mistralToolChoice, withoutModelPrefix } from './mistral.ts';
import { bareModelList, ownedModelPages } from './models.ts';
import { thinkingAsSwitch } from './ollama.ts';
import { fileAtUrl, nestReasoningAndUsage } from './openrouter.ts';
import { perplexityChat, perplexityFile } from './perplexity.ts';

const call = sampleCall();

describe('a hook without anything to do gives the same body back', () => {
  test.for<[name: string, hook: BodyHook, body: JsonObject]>([
    ['inputAsList', inputAsList, { input: ['a'] }],
    [
      'mistralIds',
      mistralIds,
      { messages: [{ role: 'tool', tool_call_id: 'abcDEF123', tool_calls: [{ id: 'abcDEF123' }, 'odd'] }] },
    ],
    ['mistralToolChoice', mistralToolChoice, { tool_choice: 'auto' }],
    ['withoutModelPrefix', withoutModelPrefix, { model: 'mistral-large' }],
    ['withoutReasoningHistory', withoutReasoningHistory, { messages: [{ role: 'assistant', content: 'x' }] }],
    ['withoutFloatFormat', withoutFloatFormat, { encoding_format: 'base64' }],
    ['thinkingAsSwitch', thinkingAsSwitch, { think: true, thinking: 'odd' }],
    ['nestReasoningAndUsage', nestReasoningAndUsage, { reasoning: { effort: 'low' }, usage: {} }],
  ])('%s', ([, hook, body]) => {
    expect(hook(body, call)).toBe(body);
  });
});

test.for<[body: JsonObject, wanted: JsonObject]>([
  [{ think: false }, { think: false, reasoning_effort: 'none' }],
  [
    { think: false, reasoning_effort: null },
    { think: false, reasoning_effort: 'none' },
  ],
  [
    { think: false, reasoning_effort: 'low' },
    { think: false, reasoning_effort: 'low' },
  ],
  [{ thinking: { type: 'enabled' } }, { think: true }],
])('chat completions of Ollama are told not to think by the effort: %j', ([body, wanted]) => {
  expect(thinkingAsSwitch(body, call)).toEqual(wanted);
});

describe('a dialect without anything to repair gives the same object back', () => {
  test.for<
    [name: string, repair: ((given: JsonObject, ctx: typeof call) => JsonObject) | undefined, given: JsonObject]
  >([
    ['deepseek usage', deepseekChat.usage, { prompt_tokens: 1 }],
    ['deepseek usage with details', deepseekChat.usage, { prompt_cache_hit_tokens: 1, prompt_tokens_details: {} }],
    ['text content', databricksChat.message, { content: 'text' }],
    ['a chunk without usage', roleAndUsage.body, { choices: [{ delta: {} }] }],
    ['a chunk without usage that may end', roleUsageAndEnd.body, { choices: [{ delta: {} }], usage: null }],
    ['an id', stableId.body, { id: 'c1' }],
    ['a plain delta', untypedDelta.message, { content: 'x' }],
  ])('%s', ([, repair, given]) => {
    expect(repair?.(given, call)).toBe(given);
  });

  test('sources stay for clients that are not strict', () => {
    const body = { citations: ['a'], search_results: [] };
    expect(perplexityChat.body?.(body, sampleCall({ strict: false }))).toBe(body);
    expect(perplexityChat.body?.(body, call)).toEqual({});
  });
});

test.for<[content: unknown, strict: boolean, want: JsonObject]>([
  [['a', { type: 'text', text: 'b' }], true, { content: 'ab' }],
  [[{ type: 'reasoning', summary: [{ text: 'T' }, 'U'] }, 'c'], false, { content: 'c', reasoning_content: 'TU' }],
  [[{ type: 'reasoning', summary: [{ text: 'S' }] }], true, { content: '' }],
  [[null, 7, { type: 'image' }], false, { content: '' }],
])('the content list %j', ([content, strict, want]) => {
  expect(databricksChat.message?.({ content }, sampleCall({ strict }))).toEqual(want);
});

test('a whole answer gets role and usage, odd choices stay', () => {
  const body = { choices: [{ message: { content: 'x' } }, 'odd'] };
  expect(roleAndUsage.body?.(body, call)).toEqual({
    choices: [{ message: { role: 'assistant', content: 'x' } }, 'odd'],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  });
});

test('a body of unknown shape is not an answer', () => {
  for (const body of [null, 'text', {}, { data: 1, embeddings: 2, results: 3 }]) {
    for (const rule of [vectorsAsData, promptUsageFromTotal]) {
      if (rule.kind === 'read') expect(rule.read(body, call, { status: 200, headers: {} }).ok).toBe(false);
    }
    expect(bareModelList(body, call, undefined).ok).toBe(false);
    expect(ownedModelPages(body, call, undefined).ok).toBe(false);
  }
});

test('the last page of models has no next one', () => {
  expect(unwrap(ownedModelPages({ results: [{}], next: null }, call, undefined))).toEqual({
    data: [{ id: '/', object: 'model', created: 0, owned_by: '' }],
  });
});

test('error dialects with a status pass on what is not theirs', () => {
  const head = { status: 500, headers: {} };
  expect(textWithStatus({ error: 'x' }, head)).toBeUndefined();
  expect(textWithStatus(' ', head)).toBeUndefined();
  expect(stringErrorWithStatus({ error: { message: 'x' } }, head)).toBeUndefined();
  expect(stringErrorWithStatus('text', head)).toBeUndefined();
});

test.for<[vendor: string, write: RemoteFile, file: FilePart, want: object | undefined]>([
  ['openrouter', fileAtUrl, { url: 'u', name: 'a' }, { type: 'file', file: { filename: 'a', file_data: 'u' } }],
  ['openrouter', fileAtUrl, { id: 'i' }, undefined],
  ['mistral-ai', mistralFile, { url: 'u', name: 'a' }, { type: 'document_url', document_url: 'u', document_name: 'a' }],
  ['mistral-ai', mistralFile, { id: 'i', name: 'a' }, { type: 'file', file_id: 'i' }],
  ['mistral-ai', mistralFile, { name: 'a' }, undefined],
  ['perplexity-ai', perplexityFile, { url: 'u' }, { type: 'file_url', file_url: { url: 'u' } }],
  ['perplexity-ai', perplexityFile, { id: 'i' }, undefined],
])('a file that is not in the body, for %s', ([, write, file, want]) => {
  expect(write(file)).toEqual(want);
});
