import { expect, test } from 'vitest';
import { isLogContent, parseLogContent } from './content-shape.ts';

const HEADERS = { 'content-type': 'application/json' };

test.each<{ what: string; content: unknown }>([
  { what: 'nothing', content: {} },
  {
    what: 'all members',
    content: {
      request: { url: '/v1', method: 'POST', headers: HEADERS, body: {}, gwHeaders: { 'x-gw-config': {} } },
      finalUntransformedRequest: { body: 'text' },
      transformedRequest: { headers: HEADERS, body: null, truncated: true },
      originalResponse: { body: [] },
      response: { status: 200, responseTime: 1.5, lastUsedOptionJsonPath: 'config', headers: HEADERS, body: 'text' },
      hooks: [],
    },
  },
  { what: 'members of later versions', content: { more: 'x', request: { url: '/v1', method: 'POST', more: 1 } } },
])('a document with $what is one', ({ content }) => {
  expect(isLogContent(content)).toBe(true);
  expect(parseLogContent(JSON.stringify(content))).toEqual(content);
});

test.each<{ what: string; text: string }>([
  { what: 'no JSON', text: '{"request":' },
  { what: 'a list', text: '[]' },
  { what: 'nothing but null', text: 'null' },
  { what: 'a request that is a text', text: '{"request":"x"}' },
  { what: 'a request that is a list', text: '{"request":[1]}' },
  { what: 'an answer that is null', text: '{"response":null}' },
  { what: 'headers that are a text', text: '{"request":{"headers":"x"}}' },
  { what: 'a path that is an object', text: '{"request":{"url":{}}}' },
  { what: 'a status that is a text', text: '{"response":{"status":"200"}}' },
  { what: 'a mark that is none', text: '{"transformedRequest":{"truncated":false}}' },
  { what: 'an original that is a number', text: '{"originalResponse":1}' },
])('a text with $what is no document', ({ text }) => {
  expect(parseLogContent(text)).toBeUndefined();
});
