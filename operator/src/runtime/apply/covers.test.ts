import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { covers } from './covers.ts';

describe('a live object', () => {
  test.for([
    { rule: 'may have more fields', live: { a: 1, b: 2 }, applied: { a: 1 }, want: true },
    { rule: 'must have our value', live: { a: 2 }, applied: { a: 1 }, want: false },
    { rule: 'must have our field', live: {}, applied: { a: { b: 'x' } }, want: false },
    { rule: 'may lack what is empty', live: {}, applied: { a: '', b: 0, c: false, d: [], e: {}, f: null }, want: true },
    { rule: 'may not lack what is not', live: {}, applied: { a: [1] }, want: false },
    {
      rule: 'may have defaults in items of a merged list',
      live: { env: [{ name: 'a', d: 1 }] },
      applied: { env: [{ name: 'a' }] },
      want: true,
    },
    {
      rule: 'may have items of others in a merged list, in any order',
      live: { containers: [{ name: 'b' }, { name: 'a' }] },
      applied: { containers: [{ name: 'a' }] },
      want: true,
    },
    {
      rule: 'must have our item',
      live: { containers: [{ name: 'b' }] },
      applied: { containers: [{ name: 'a' }] },
      want: false,
    },
    {
      rule: 'tells items apart by all their keys',
      live: { ports: [{ port: 1, protocol: 'UDP' }] },
      applied: { ports: [{ port: 1, protocol: 'TCP' }] },
      want: false,
    },
    { rule: 'must have a plain list as it is', live: { a: ['a', 'b'] }, applied: { a: ['a'] }, want: false },
    { rule: 'must keep the order of a plain list', live: { a: ['b', 'a'] }, applied: { a: ['a', 'b'] }, want: false },
    {
      rule: 'must have no further subject of a role',
      live: { subjects: [{ name: 'a' }, { name: 'b' }] },
      applied: { subjects: [{ name: 'a' }] },
      want: false,
    },
    {
      rule: 'must open no further port',
      live: { ingress: [{ ports: [{ port: 1 }, { port: 2 }] }] },
      applied: { ingress: [{ ports: [{ port: 1 }] }] },
      want: false,
    },
    {
      rule: 'must open no range of ports',
      live: { ingress: [{ ports: [{ port: 1, endPort: 9 }] }] },
      applied: { ingress: [{ ports: [{ port: 1 }] }] },
      want: false,
    },
    {
      rule: 'must have no further peers',
      live: { ingress: [{ from: [{ podSelector: {} }, { podSelector: { matchLabels: { a: 'b' } } }] }] },
      applied: { ingress: [{ from: [{ podSelector: { matchLabels: { a: 'b' } } }] }] },
      want: false,
    },
    {
      rule: 'must not select less',
      live: { podSelector: { matchLabels: { a: 'b', c: 'd' } } },
      applied: { podSelector: { matchLabels: { a: 'b' } } },
      want: false,
    },
    { rule: 'may write CPU its own way', live: { cpu: '1' }, applied: { cpu: '1000m' }, want: true },
    { rule: 'may write memory its own way', live: { memory: '1Gi' }, applied: { memory: '1024Mi' }, want: true },
    { rule: 'must mean the same quantity', live: { cpu: '1' }, applied: { cpu: '100m' }, want: false },
    { rule: 'is no object where we want one', live: { a: 'x' }, applied: { a: { b: 1 } }, want: false },
    { rule: 'is no list where we want one', live: { a: 'x' }, applied: { a: [1] }, want: false },
  ])('$rule', ({ live, applied, want }) => {
    expect(covers(live, applied)).toBe(want);
  });

  test('covers what it was made from', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(covers(value, value)).toBe(true);
      }),
    );
  });
});
