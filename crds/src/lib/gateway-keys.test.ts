import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayHoldGatewayKey, withoutGatewayKeys } from './gateway-keys.ts';

const KEY = 'gwk_Ab-9_zzzzzzzzzzzzzzzz';

test.for<[given: string, want: string]>([
  ['plain', 'plain'],
  ['gwk_short', 'gwk_short'],
  [`${KEY}, ${KEY}`, '[redacted], [redacted]'],
  [JSON.stringify({ [KEY]: `is ${KEY}` }), '{"[redacted]":"is [redacted]"}'],
])('%s without keys is %s', ([given, want]) => {
  expect(withoutGatewayKeys(given)).toBe(want);
  if (given !== want) expect(mayHoldGatewayKey(given)).toBe(true);
});

test.for<[given: string, want: string]>([
  ['/a/b%20c', '/a/b%20c'],
  [`/a/${KEY}/c%20d`, '/a/[redacted]/c%20d'],
  [`/a/${KEY.replaceAll('_', '%5f')}/c%20d`, '/a/[redacted]/c%20d'],
  [`/a/%67wk_${KEY.slice(4).replace('A', '%41')}`, '/a/[redacted]'],
  ['/a/%zz%', '/a/%zz%'],
])('%s as a path is %s', ([given, want]) => {
  expect(withoutGatewayKeys(given)).toBe(want);
});

describe('a key with escapes', () => {
  const code = (char: string): string => char.charCodeAt(0).toString(16);
  const writers: readonly ((char: string) => string)[] = [
    (char) => char,
    (char) => `\\u00${code(char)}`,
    (char) => `\\u00${code(char).toUpperCase()}`,
    (char) => `\\\\u00${code(char)}`,
    (char) => `%${code(char)}`,
    (char) => `%${code(char).toUpperCase()}`,
  ];

  test('is found whichever characters are escaped', () => {
    const key = fc.stringMatching(/^gwk_[\w-]{8,40}$/);
    const writer = fc.constantFrom(...writers);
    fc.assert(
      fc.property(key, fc.array(writer, { minLength: 44, maxLength: 44 }), (given, write) => {
        const text = [...given].map((char, at) => write[at]?.(char)).join('');
        expect(mayHoldGatewayKey(text)).toBe(true);
        expect(withoutGatewayKeys(`{"m":"${text}"}`)).toBe('{"m":"[redacted]"}');
      }),
    );
  });

  test.for([
    '%67wk_short',
    'gwk%20abcdefghijk',
    '\\u0067w\\u006babcdefghijk',
    '\\'.repeat(50_000),
    '%67wk_a '.repeat(9_000),
    'gwk_a\\'.repeat(9_000),
  ])('is not seen in other texts: %#', (text) => {
    expect(withoutGatewayKeys(text)).toBe(text);
  });
});
