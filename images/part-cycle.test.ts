import { expect, test } from 'vitest';
import { partCycle } from './part-cycle.ts';

const part = (fileName: string, ...imports: string[]) => ({ fileName, imports });

test.for([
  { name: 'none', parts: [part('main', 'a', 'b'), part('a', 'c'), part('b', 'c'), part('c', 'elsewhere')] },
  { name: 'two', parts: [part('main', 'a'), part('a', 'b'), part('b', 'a')], cycle: ['a', 'b'] },
  { name: 'the entry', parts: [part('main', 'a'), part('a', 'main')], cycle: ['main', 'a'] },
  { name: 'one behind a shared part', parts: [part('main', 'c', 'a'), part('c'), part('a', 'c', 'a')], cycle: ['a'] },
])('finds parts that import each other: $name', ({ parts, cycle }) => {
  expect(partCycle(parts)).toEqual(cycle);
});
