import { describe, expect, test } from 'vitest';
import { type BodyOptions, bodyMembers } from './bodies.ts';

const members = (bytes: Buffer | string, truncated = false, options: Partial<BodyOptions> = {}) =>
  JSON.parse(
    `{${bodyMembers({ bytes: Buffer.from(bytes), truncated }, { isOfVectors: false, clean: (text) => text, ...options })}}`,
  );

test('JSON is a value, any other text a string', () => {
  expect(members('{"a":[1,"\\u00e4"]}')).toEqual({ body: { a: [1, 'ä'] } });
  expect(members('data: {"a":1}\n\n')).toEqual({ body: 'data: {"a":1}\n\n' });
});

test.for([
  { what: 'in no UTF-8', bytes: Buffer.from([0x89, 0x50, 0xff]) },
  { what: 'in UTF-16, where secrets would not be found', bytes: Buffer.from('secret', 'utf16le') },
])('a body $what is left out', ({ bytes }) => {
  expect(members(bytes)).toEqual({});
  expect(members(bytes, true)).toEqual({ truncated: true });
});

test('what was cut ends before the place where it was cut', () => {
  const secret = 'abcdefgh';
  const clean = (text: string) => text.replaceAll(secret, '[redacted]');
  const bytes = Buffer.from(`${'ä'.repeat(9_000)}${secret}${'x'.repeat(100)}${secret.slice(0, 7)}`);
  const { body, truncated } = members(bytes.subarray(0, -1), true, { clean });
  expect(truncated).toBe(true);
  expect(body).toMatch(/^ä+$/);
  expect(members(bytes.subarray(0, 17_999), true)).toMatchObject({ body: 'ä'.repeat(808) });
});

describe('vectors', () => {
  const vector = Array.from({ length: 300 }, (_, index) => (index - 150) * 1.5e-7);
  const options = { isOfVectors: true };

  test.for([
    {
      format: 'openai',
      of: (data: unknown) => ({ data: [{ index: 0, embedding: data }], usage: { total_tokens: 3 } }),
    },
    { format: 'cohere', of: (data: unknown) => ({ embeddings: { float: [data, data] }, usage: { total_tokens: 3 } }) },
  ])('of $format are left out, and nothing else is', ({ of }) => {
    const bytes = JSON.stringify(of(vector), null, 1);
    expect(members(bytes, false, options)).toEqual({ body: of([]) });
    expect(members(bytes)).toEqual({ body: of(vector) });
  });

  test('in base64 are left out', () => {
    const embedding = Buffer.from(new Float32Array(vector).buffer).toString('base64');
    expect(members(JSON.stringify({ data: [{ embedding }] }), false, options)).toEqual({
      body: { data: [{ embedding: '' }] },
    });
  });

  test('that were cut are left out', () => {
    const bytes = `{"data":[{"embedding":[${'0.25,'.repeat(9_000)}`;
    expect(members(bytes, true, options)).toEqual({ body: '{"data":[{"embedding":[]', truncated: true });
  });
});
