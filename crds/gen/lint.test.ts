import { describe, expect, test } from 'vitest';
import { lintSchema } from './lint.ts';
import type { Structural } from './structural.ts';

const TEXT: Structural = { type: 'string', maxLength: 9, description: 'a is text.' };
const holding = (a: Structural, more: Structural = {}): Structural => ({ type: 'object', properties: { a }, ...more });
const described = (node: Structural): Structural => ({ description: 'a is something.', ...node });

describe('a schema passes', () => {
  test.for<{ rule: string; node: Structural }>([
    { rule: 'with bounded text', node: TEXT },
    { rule: 'with an enum', node: { type: 'string', enum: ['x'] } },
    { rule: 'with a bounded list', node: { type: 'array', maxItems: 1, items: TEXT, 'x-kubernetes-list-type': 'set' } },
    { rule: 'with a bounded map', node: { type: 'object', maxProperties: 1, additionalProperties: TEXT } },
    { rule: 'with an opaque node', node: { 'x-kubernetes-preserve-unknown-fields': true } },
    { rule: 'with a quantity', node: { 'x-kubernetes-int-or-string': true } },
  ])('$rule', ({ node }) => {
    expect(lintSchema(holding(described(node)), 'spec')).toEqual([]);
  });

  test('with a weight as its one float', () => {
    const weight: Structural = { type: 'number', description: 'weight is a share.' };
    expect(lintSchema({ type: 'object', properties: { weight } }, 'spec')).toEqual([]);
  });
});

describe('a schema is refused', () => {
  test.for<{ rule: string; node: Structural }>([
    { rule: 'for unbounded text', node: { type: 'string' } },
    { rule: 'for an unbounded list', node: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' } },
    { rule: 'for a list without a type', node: { type: 'array', maxItems: 1, items: TEXT } },
    { rule: 'for an unbounded map', node: { type: 'object', additionalProperties: TEXT } },
    { rule: 'for an object without shape', node: { type: 'object' } },
    {
      rule: 'for a map with members',
      node: { type: 'object', maxProperties: 1, additionalProperties: TEXT, properties: {} },
    },
    { rule: 'for a float', node: { type: 'number' } },
    { rule: 'for an integer without a minimum', node: { type: 'integer' } },
    { rule: 'for a node without a type', node: { maxLength: 1 } },
  ])('$rule', ({ node }) => {
    expect(lintSchema(holding(described(node)), 'spec')).toEqual([expect.stringMatching(/^spec\.a: /)]);
  });

  test('for a description that does not begin with the name', () => {
    expect(lintSchema(holding({ ...TEXT, description: 'The text.' }), 'spec')).toHaveLength(1);
    expect(lintSchema(holding({ type: 'boolean' }), 'spec')).toHaveLength(1);
  });

  test('for a member that is required and defaulted', () => {
    expect(lintSchema(holding({ ...TEXT, default: 'x' }, { required: ['a'] }), 'spec')).toHaveLength(1);
  });

  test('at any depth', () => {
    const items = holding(described({ type: 'string' }));
    const list: Structural = described({ type: 'array', maxItems: 1, items, 'x-kubernetes-list-type': 'atomic' });
    expect(lintSchema(holding(list), 'spec')).toEqual([expect.stringMatching(/^spec\.a\[\]\.a: /)]);
  });
});
