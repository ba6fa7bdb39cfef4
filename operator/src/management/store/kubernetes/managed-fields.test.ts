import { describe, expect, test } from 'vitest';
import { hasField, managedEntries, ownedPart } from './managed-fields.ts';

const entry = (manager: string, more: object = {}) => ({
  manager,
  operation: 'Apply',
  apiVersion: 'gatehouse.dev/v1alpha1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:value': {} } },
  ...more,
});

describe('the entries of managed fields', () => {
  test('are those of the object itself', () => {
    const managedFields = [
      entry('one'),
      entry('two', { operation: 'Update' }),
      entry('status', { subresource: 'status' }),
      entry('odd', { operation: 'Other' }),
      entry('empty', { fieldsV1: null }),
      'broken',
    ];
    const read = managedEntries({ managedFields }).map(({ manager, operation }) => `${manager} ${operation}`);
    expect(read).toEqual(['one Apply', 'two Update']);
    expect(managedEntries({})).toEqual([]);
  });
});

describe('the part of an object that a manager owns', () => {
  test.for([
    { rule: 'is the whole of a leaf', value: { a: [1, 2], b: 1 }, fields: { 'f:a': {} }, want: { a: [1, 2] } },
    {
      rule: 'goes down maps, and leaves out what others have put into them',
      value: { a: { mine: 1, theirs: 2 }, b: 1 },
      fields: { 'f:a': { '.': {}, 'f:mine': {} } },
      want: { a: { mine: 1 } },
    },
    {
      rule: 'has items of keyed lists by their keys, in the order of the list',
      value: [{ key: 'a', x: 1, y: 2 }, { key: 'b', x: 3 }, { key: 'c' }],
      fields: { 'k:{"key":"c"}': { '.': {}, 'f:key': {} }, 'k:{"key":"a"}': { 'f:x': {} } },
      want: [{ key: 'a', x: 1 }, { key: 'c' }],
    },
    {
      rule: 'has items of sets by their values',
      value: ['a', 'b', 3],
      fields: { 'v:"b"': {}, 'v:3': {} },
      want: ['b', 3],
    },
    { rule: 'has items by their positions', value: ['a', 'b'], fields: { 'i:1': {} }, want: ['b'] },
    { rule: 'lacks fields that are gone', value: { b: 1 }, fields: { 'f:a': {}, 'f:b': {} }, want: { b: 1 } },
    {
      rule: 'does not take members of the prototype for fields',
      value: {},
      fields: { 'f:constructor': {}, 'f:__proto__': {} },
      want: {},
    },
  ])('$rule', ({ value, fields, want }) => {
    expect(ownedPart(value, fields)).toEqual(want);
  });
});

describe('a set of fields', () => {
  const fields = { 'f:spec': { '.': {}, 'f:limits': { 'f:a': {} }, 'f:whole': {}, 'f:list': { 'k:{"key":"a"}': {} } } };
  test.for([
    { path: ['spec', 'limits', 'a'], has: true, rule: 'has its fields' },
    { path: ['spec', 'limits'], has: true, rule: 'has a map with a field of its own in it' },
    { path: ['spec', 'list'], has: true, rule: 'has a list with an item of its own in it' },
    { path: ['spec', 'whole', 'inner'], has: true, rule: 'has what is in a value that it has as a whole' },
    { path: ['spec', 'limits', 'b'], has: false, rule: 'lacks the neighbours of its fields' },
    { path: ['spec', 'other'], has: false, rule: 'lacks new members of a map that it knows' },
    { path: ['metadata', 'annotations', 'a'], has: false, rule: 'lacks what it does not mention' },
  ])('$rule', ({ path, has }) => {
    expect(hasField(fields, path)).toBe(has);
  });
});
