import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentText, replaceSpans, replaceTexts } from './texts.ts';

const star = (found: string): string => '*'.repeat(found.length);

describe('spans of a text', () => {
  test.for([
    { rule: 'are written anew', spans: [[0, 2]], want: '**cdef' },
    {
      rule: 'need no order',
      spans: [
        [4, 6],
        [0, 1],
      ],
      want: '*bcd**',
    },
    {
      rule: 'may touch',
      spans: [
        [0, 2],
        [2, 4],
      ],
      want: '****ef',
    },
    {
      rule: 'may overlap',
      spans: [
        [0, 3],
        [2, 5],
      ],
      want: '*****f',
    },
    { rule: 'may reach behind the end', spans: [[4, 99]], want: 'abcd*'.concat('*') },
    {
      rule: 'that are none change nothing',
      spans: [
        [-1, 2],
        [3, 3],
        [5, 4],
        [6, 9],
        [0.5, 2],
        [Number.NaN, 2],
      ],
      want: 'abcdef',
    },
  ])('$rule', ({ spans, want }) => {
    const given = spans.map(([start = -1, end = -1]) => ({ start, end }));
    expect(replaceSpans('abcdef', given, star)).toBe(want);
  });

  test('hide every character that one of them covers, and no other one', () => {
    const span = fc.record({ start: fc.integer({ min: -2, max: 30 }), end: fc.integer({ min: -2, max: 30 }) });
    fc.assert(
      fc.property(fc.string({ maxLength: 24 }), fc.array(span, { maxLength: 8 }), (text, spans) => {
        const valid = spans.filter(({ start, end }) => start >= 0 && start < end);
        const isCovered = (at: number): boolean => valid.some(({ start, end }) => start <= at && at < end);
        const want = Array.from({ length: text.length }, (_, at) => (isCovered(at) ? '*' : text[at])).join('');
        expect(replaceSpans(text, spans, star)).toBe(want);
      }),
    );
  });
});

test('texts are written at the places they came from', () => {
  const texts = [
    { text: 'a', at: 1 },
    { text: 'b', at: 3 },
  ];
  expect(replaceTexts({ parts: ['', 'a', '', 'b'] }, texts, [undefined, 'B'])).toEqual({
    kind: 'parts',
    parts: [undefined, undefined, undefined, 'B'],
  });
});

test.for([
  ['text', 'text'],
  [[{ type: 'text', text: 'a' }, { type: 'image_url' }, 'b', { text: 1 }, null], 'a\nb'],
  [null, ''],
  [{ text: 'a' }, ''],
] as const)('the text of the content %j is %j', ([content, want]) => {
  expect(contentText(content)).toBe(want);
});
