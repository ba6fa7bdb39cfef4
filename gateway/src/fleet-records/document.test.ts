import { expect, test } from 'vitest';
import { createDocumentCheck } from './document.ts';

const isDocument = (text: string): Promise<boolean> => createDocumentCheck(256 * 1024).isDocument(text);
const objectOf = (members: number): string => `{${Array.from({ length: members }, (_, at) => `"m${at}":0`).join()}}`;

test.each([
  '{}',
  '{"request":{"url":"/v1","method":"POST","headers":{},"gwHeaders":{"a":{}},"body":[1,{}]},"hooks":"x"}',
  '{ "response" : { "status" : 200 , "responseTime": -1.5, "body":null, "truncated":true } }',
  '{"more":"x","request":{"more":[]}}',
  `{"more":${objectOf(100_000)},"originalResponse":{"body":"x"}}`,
])('a document of the known form is one: %#', async (text) => {
  expect(await isDocument(text)).toBe(true);
});

test.each([
  '',
  '[]',
  '{"request":',
  '{"request":{}}{}',
  '{"request":"x"}',
  '{"\\u0072equest":"x"}',
  '{"request": [1]}',
  '{"response":null}',
  '{"response":{"status":"200"}}',
  '{"request":{"headers":[]}}',
  '{"transformedRequest":{"truncated":false}}',
  '{"request":{"url":{}}}',
  `{"request":${objectOf(33)}}`,
  objectOf(33),
])('a text that is none is left out: %#', async (text) => {
  expect(await isDocument(text)).toBe(false);
});

test('a document is larger than bodies and headers together allow', async () => {
  const check = createDocumentCheck(10);
  const document = (length: number): string => `{"hooks":"${'x'.repeat(length)}"}`;
  expect([await check.isDocument(document(200_000)), await check.isDocument(document(270_000))]).toEqual([true, false]);
});
