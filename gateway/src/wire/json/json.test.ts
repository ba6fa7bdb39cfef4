import { describe, expect, test } from 'vitest';
import { numberAt, objectAt, objectsAt, orAbsent, textAt, withoutAbsent } from './json.ts';

const SOURCE = { object: { a: 1 }, list: [{ b: 2 }, null, 'x', [1]], text: '', number: 0, nan: Number.NaN, none: null };

describe('tolerant reading', () => {
  test.for([
    { rule: 'an object', got: objectAt(SOURCE, 'object'), want: { a: 1 } },
    { rule: 'no object in a list', got: objectAt(SOURCE, 'list'), want: undefined },
    { rule: 'no object in null', got: objectAt(SOURCE, 'none'), want: undefined },
    { rule: 'the objects of a list', got: objectsAt(SOURCE, 'list'), want: [{ b: 2 }] },
    { rule: 'no objects in text', got: objectsAt(SOURCE, 'text'), want: [] },
    { rule: 'empty text', got: textAt(SOURCE, 'text'), want: '' },
    { rule: 'no text in a number', got: textAt(SOURCE, 'number'), want: undefined },
    { rule: 'zero', got: numberAt(SOURCE, 'number'), want: 0 },
    { rule: 'no number that JSON cannot say', got: numberAt(SOURCE, 'nan'), want: undefined },
    { rule: 'nothing in nothing', got: textAt(undefined, 'text'), want: undefined },
    { rule: 'present members', got: withoutAbsent({ a: 0, b: undefined, c: null, d: '' }), want: { a: 0, d: '' } },
    { rule: 'nothing of an empty object', got: orAbsent({}), want: undefined },
    { rule: 'an object with members', got: orAbsent({ a: undefined }), want: { a: undefined } },
  ])('finds $rule', ({ got, want }) => {
    expect(got).toEqual(want);
  });
});
