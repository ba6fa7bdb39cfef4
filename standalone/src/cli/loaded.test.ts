import type { AnyEntry } from '@gatehouse/crds/snapshot';
import { expect, test } from 'vitest';
import type { FileProblem } from '../resource-folder/index.ts';
import { describeLoaded, describeProblems } from './loaded.ts';

const snapshot = (...kinds: readonly AnyEntry['kind'][]) => ({
  schemaVersion: { major: 1, minor: 0 },
  entries: kinds.map((kind) => ({ kind }) as AnyEntry), // all that is read
});
const problem = (line: number): FileProblem => ({ file: 'a.yaml', line, column: 1, message: 'wrong' });

test('what is served is counted by kind', () => {
  const loaded = describeLoaded({ snapshot: snapshot('workspace', 'key', 'key', 'credential', 'config', 'guardrail') });
  expect(loaded).toBe('1 workspace, 2 keys, 0 providers, 1 config, 1 guardrail');
});

test('problems are shown with their places, as far as there is room', () => {
  expect(describeProblems({ problems: [] }, 'x')).toEqual([]);
  expect(describeProblems({ problems: [problem(3)] }, 'x')).toEqual(['1 problem:', '  a.yaml:3:1: wrong']);
  const many = describeProblems({ problems: Array.from({ length: 14 }, (_, at) => problem(at + 1)) }, 'validate a');
  expect(many).toHaveLength(12);
  expect(many.at(-1)).toBe('  and 4 more lines: validate a');
});
