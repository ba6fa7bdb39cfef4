import { pii } from '@gatehouse/crds/guardrails';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasNoPlace, nextPlace } from './places.ts';
import { createScanner } from './scan.ts';

const OPTIONS = pii.parameters.parse({});

const quick = createScanner(OPTIONS);
const thorough = createScanner({ ...OPTIONS, places: (_, from) => from });

const WHOLE = { turn: () => Promise.resolve(), goesOn: false };

const values = fc.constantFrom(
  ...[
    'jane@example.com',
    '+49 30 901820',
    '(212) 555-0123',
    '4111 1111 1111 1111',
    'DE89 3704 0044 0532 0130 00',
    '10.1.2.3',
  ],
  ...[
    '::1',
    'fe80::1',
    'dead:beef::1',
    'a:b::2',
    '2001:db8::ff',
    '536-90-4399',
    'AB 12 34 56 C',
    'QQ123456C',
    'X1234567L',
    'X-1234567-L',
  ],
  ...[
    '12345678Z',
    'ABCPE1234F',
    'RSSMRA85T10A562S',
    'RSS MRA 85T10 A562S',
    'RSSMRAURTMLARSNL',
    'GODE561231HDFRRN09',
    'S1234567D',
    'A123456789',
  ],
  ...[
    'A123456(3)',
    'AKIAIOSFODNN7EXAMPLE',
    `ghp_${'a1B2'.repeat(9)}`,
    `sk-ant-${'x'.repeat(30)}`,
    `SG.${'a'.repeat(22)}.${'b'.repeat(43)}`,
  ],
  ...[
    `xoxb-${'1'.repeat(12)}`,
    `eyJhbGciOiJI.eyJzdWIiOiIx.${'s'.repeat(20)}`,
    'https://me:secret@host',
    '-----BEGIN PRIVATE KEY-----',
    `r8_${'a'.repeat(37)}`,
  ],
);
const noise = fc.constantFrom(
  'a',
  'Z',
  '1',
  '_',
  ' ',
  '-',
  '.',
  ':',
  '/',
  '+',
  '(',
  ')',
  '@',
  'é',
  'ß',
  '中',
  '\u200b',
  '４',
  'ssn ',
  'id ',
  'do ',
  'ABC ',
);

test('looking at some places finds what looking at all of them does', { timeout: 120_000 }, async () => {
  const text = fc.array(fc.oneof(values, noise), { maxLength: 12 }).map((pieces) => pieces.join(''));
  await fc.assert(
    fc.asyncProperty(text, async (written) => {
      expect(await quick.scan(written, WHOLE)).toEqual(await thorough.scan(written, WHOLE));
    }),
    { numRuns: 3_000 },
  );
});

test('a text that is said to have no place has none', () => {
  const some = fc.array(fc.oneof(values, noise), { maxLength: 3 }).map((pieces) => pieces.join(''));
  const plain = fc.string({ unit: fc.constantFrom('a', 'S', 'k', '-', '_', ' ', '.'), maxLength: 20 });
  fc.assert(
    fc.property(fc.oneof(some, plain), (text) => {
      const isPlain = nextPlace(text, 0, text.length) === text.length && /^[\0-\x7f]*$/.test(text);
      expect(hasNoPlace(text) && !isPlain).toBe(false);
    }),
    { numRuns: 5_000 },
  );
  expect(['', 'Some words, and more.', ' '.repeat(20_000), 'sk-', 'é', '7'].map(hasNoPlace)).toEqual([
    ...[true, true],
    ...[false, false, false, false],
  ]);
});

const placeIn = (text: string): number => nextPlace(text, 0, text.length);

test('plain text has no place to look at', () => {
  const text = 'All work and no play makes the gateway a dull process; do ship it: glad, high-end, e.g. whole.';
  expect(placeIn(text)).toBe(text.length);
});

test('a key begins where a word does', () => {
  expect([placeIn('xAKIA'), placeIn('x AKIA'), placeIn('_sk-proj-')]).toEqual([5, 2, 9]);
});

test('a part of a text is looked at with what is around it', () => {
  expect([nextPlace('xAKIA 1', 1, 5), nextPlace('x AKIA', 2, 4), nextPlace('a -- 1', 0, 2)]).toEqual([5, 2, 2]);
});

test('what lies across two parts is found', async () => {
  const text = `${'a '.repeat(8_190)}AKIAIOSFODNN7EXAMPLE`;
  expect(await quick.scan(text, WHOLE)).toMatchObject([{ category: 'SECRET', start: 16_380 }]);
});
