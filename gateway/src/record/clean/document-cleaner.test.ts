import { expect, test } from 'vitest';
import { createCleaner, Uncleanable } from './document-cleaner.ts';

type Given = Parameters<typeof createCleaner>[0];

const cleanerOf = (...headers: readonly (readonly [string, string])[]) =>
  createCleaner({ request: { headers: () => headers }, attempts: [] } as unknown as Given).clean; // it reads no more

const tokens = (count: number) =>
  Array.from({ length: count }, (_, at) => [`x-${at}-token`, `secret-with-a-shared-beginning-${100 + at}`] as const);

test('as many credentials as are looked for are taken out', () => {
  const given = tokens(16);
  const said = given.map(([, value]) => value).join(' ');
  expect(cleanerOf(...given, ...given)(`said ${said}`)).toBe(`said ${'[redacted] '.repeat(16).trim()}`);
});

test('with more nothing is cleaned in part, whatever the text is', () => {
  const clean = cleanerOf(...tokens(17));
  for (const text of ['said nothing', `said ${tokens(1)[0]?.[1]}`]) expect(() => clean(text)).toThrow(Uncleanable);
});

test('a scheme does not count, and may be left', () => {
  const given = tokens(16).map(([name, value]) => [name, `Bearer ${value}`] as const);
  expect(cleanerOf(...given)(`Bearer ${tokens(1)[0]?.[1]}`)).toBe('Bearer [redacted]');
});

test('the parts of basic authentication are taken out alone, too', () => {
  const pair = Buffer.from('ada-lovelace:pass-word-1').toString('base64');
  const clean = cleanerOf(['authorization', `Basic ${pair}`]);
  expect(clean(`${pair}, ada-lovelace:pass-word-1, pass-word-1`)).toBe('[redacted], [redacted], [redacted]');
});

test('a text with more letters as escapes than are read is not searched, other escapes do not count', () => {
  const clean = cleanerOf(...tokens(1));
  for (const letter of ['%61', '\\u0061', '&#97;', '&#x61;']) {
    expect(clean(letter.repeat(5_000))).toBe(letter.repeat(5_000));
    expect(() => clean(letter.repeat(20_001))).toThrow(Uncleanable);
  }
  const code = '\\n\\"%20\\u003c+'.repeat(30_000);
  expect(clean(code)).toBe(code);
  expect(cleanerOf()('%61'.repeat(30_000))).toBe('%61'.repeat(30_000));
});

test('keys of others are found with escapes', () => {
  const key = `wk_${'A'.repeat(40)}`;
  for (const text of [`{"m":"\\u0067${key}"}`, `{"m":"g${key.replace('_', '%5F')}"}`])
    expect(cleanerOf()(text)).toBe('{"m":"[redacted]"}');
});

test.for<[header: string, value: string]>([
  ['cookie', 'theme=dark; session=part-of-16-or-more; a=b'],
  ['authorization', 'Token token="part-of-16-or-more", nonce="def"'],
  ['authorization', 'AWS4-HMAC-SHA256 Credential=AKID/eu, Signature=part-of-16-or-more'],
])('a value within %s: %s is taken out alone, too', ([header, value]) => {
  const clean = cleanerOf([header, value]);
  expect(clean(`said part-of-16-or-more in the dark`)).toBe('said [redacted] in the dark');
  expect(clean(`said ${value}`)).not.toContain('part-of');
});

test('many cookies are no reason to clean nothing', () => {
  const cookie = Array.from({ length: 40 }, (_, at) => `name-${at}=a-value-of-16-or-more-${at}`).join('; ');
  expect(cleanerOf(['cookie', cookie])(`said ${cookie}, a-value-of-16-or-more-0.`)).toBe(
    'said [redacted], [redacted].',
  );
});
