import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { camelKeys, snakeKeys, toCamel, toSnake } from './spelling.ts';
import { COMMON_FIELDS, inlineConfig, kindConfig } from './target.ts';

describe('spelling', () => {
  test.for([
    { camel: 'onStatusCodes', snake: 'on_status_codes' },
    { camel: 'strictOpenAiCompliance', snake: 'strict_open_ai_compliance' },
    { camel: 'ttl', snake: 'ttl' },
  ])('of $camel is $snake and back', ({ camel, snake }) => {
    expect([toSnake(camel), toCamel(snake)]).toEqual([snake, camel]);
  });

  test('is a bijection on every member of the grammar', () => {
    for (const name of COMMON_FIELDS) expect(toCamel(toSnake(name))).toBe(name);
  });

  test('leaves unknown keys and values that do not fit alone', () => {
    const odd = { some_vendor_field: { in_ner: 1 }, retry: 'often', targets: 'none' };
    expect({ ...(camelKeys(inlineConfig, odd) as object) }).toEqual(odd);
  });

  test('keeps names of the prototype as plain members', () => {
    const renamed = camelKeys(inlineConfig, JSON.parse('{"__proto__": 1, "request_timeout": 2}'));
    expect(Object.entries(renamed as object)).toEqual([
      ['__proto__', 1],
      ['requestTimeout', 2],
    ]);
  });

  test('never throws on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        camelKeys(kindConfig, value);
        snakeKeys(kindConfig, value);
      }),
    );
  });
});
