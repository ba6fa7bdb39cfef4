import { expect, test } from 'vitest';
import { charactersAsked, imagesAsked } from './asked.ts';

const asked = (params: Record<string, unknown>, generates: 'images' | 'text' = 'images') =>
  imagesAsked({ operation: { generates }, params, resolution: { body: { kind: 'none' } } });

test.for([
  { rule: 'one where no number is given', params: {}, want: { count: 1 } },
  {
    rule: 'the number',
    params: { n: 3.7, size: '1x1', quality: 'hd' },
    want: { count: 3, size: '1x1', quality: 'hd' },
  },
  { rule: 'a number as text', params: { n: '2' }, want: { count: 2 } },
  { rule: 'not what is no number', params: { n: 'many', size: 7, quality: '' }, want: { count: 1 } },
  { rule: 'not more than a call may', params: { n: 1e9, size: 'x'.repeat(99) }, want: { count: 10 } },
])('a call asks for $rule', ({ params, want }) => {
  expect(asked(params)).toEqual(want);
});

test('a call of another operation asks for none', () => {
  expect(asked({ n: 2 }, 'text')).toBeUndefined();
});

test('a form says it in its fields', () => {
  const source = { bytes: undefined, replayable: true, open: () => expect.unreachable() };
  const fields = { model: '', value: (name: string) => ({ n: '2', size: '512x512' })[name] };
  const body = { kind: 'form', contentType: '', boundary: '', source, fields } as const;
  expect(imagesAsked({ operation: { generates: 'images' }, params: { n: 9 }, resolution: { body } })).toEqual({
    count: 2,
    size: '512x512',
  });
});

test('the characters of a text to speak are counted as people do, pairs of surrogates as one', () => {
  expect(charactersAsked({ operation: { generates: 'speech' }, params: { input: 'Hé🙂' } })).toBe(3);
  expect(charactersAsked({ operation: { generates: 'speech' }, params: { input: 7 } })).toBeUndefined();
  expect(charactersAsked({ operation: { generates: 'text' }, params: { input: 'a' } })).toBeUndefined();
});
