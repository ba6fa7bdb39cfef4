import type { Revision } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { createRevisionMemory, type RevisionMemory } from './revision-memory.ts';

const at = (epoch: number, version: number): Revision => ({ epoch, version });

function remembering(place: Revision, digest?: string): RevisionMemory {
  const memory = createRevisionMemory();
  if (digest === undefined) memory.recall([place]);
  else memory.advance(place, digest);
  return memory;
}

describe('the memory of a fleet', () => {
  test.for([
    { rule: 'keeps the latest recalled revision', of: [at(1, 5), at(0, 9), at(1, 4)], last: at(1, 5) },
    { rule: 'accepts any version', of: [at(0, 2 ** 40)], last: at(0, 2 ** 40) },
    { rule: 'accepts an epoch far ahead when it is the first', of: [at(5_000, 7)], last: at(5_000, 7) },
    { rule: 'ignores an epoch too far ahead of the last', of: [at(5, 1), at(2 ** 30, 1)], last: at(5, 1) },
    { rule: 'ignores an epoch above the maximum of a manifest', of: [at(2 ** 40 + 1, 1), at(1, 1)], last: at(1, 1) },
  ])('$rule', ({ of, last }) => {
    const memory = createRevisionMemory();
    for (const place of of) memory.recall([place]);
    expect(memory.last).toEqual(last);
    expect(memory.next()).toEqual(at(last.epoch, last.version + 1));
  });

  test('starts with the latest stored revision, in any order', () => {
    const memory = createRevisionMemory();
    memory.recall([at(1, 6), at(5_000, 2), at(0, 9)]);
    expect(memory.last).toEqual(at(5_000, 2));
    expect(memory.isAhead(at(5_001, 1))).toBe(true);
  });

  test.for([
    { rule: 'a later version', report: at(1, 6), is: true },
    { rule: 'a later epoch', report: at(2, 1), is: true },
    { rule: 'an earlier version', report: at(1, 4), is: false },
    { rule: 'what was published', report: { ...at(1, 5), digest: 'a' }, is: false },
    { rule: 'the same version with other content', report: { ...at(1, 5), digest: 'b' }, is: true },
    { rule: 'the same version of a gateway that knows no digests', report: at(1, 5), is: false },
    { rule: 'an absurd version of the same epoch', report: at(1, 2 ** 53 - 1), is: true },
    { rule: 'an absurd epoch, which it ignores', report: at(2 ** 53 - 1, 1), is: false },
  ])('is behind or not with $rule', ({ report, is }) => {
    expect(remembering(at(1, 5), 'a').isAhead(report)).toBe(is);
  });

  test.for([
    { rule: 'after both of them, also for gateways that go by the version', report: at(1, 9), next: at(2, 10) },
    { rule: 'after a later epoch', report: at(4, 2), next: at(5, 6) },
    { rule: 'of small versions where the reported one is absurd', report: at(1, 2 ** 53 - 1), next: at(2, 6) },
  ])('begins an epoch $rule', ({ report, next }) => {
    const memory = remembering(at(1, 5));
    expect(memory.nextEpoch(report)).toEqual(next);
    memory.advance(memory.nextEpoch(report), 'a');
    expect(memory.isAhead(report)).toBe(false);
  });

  test('accepts wrong reports for a thousand years before its numbers run out', () => {
    let memory = remembering(at(0, 1), 'a');
    for (let i = 0; i < 1_000; i += 1) {
      const report = at(memory.last.epoch + 1_000, 2 ** 53 - 1);
      expect(memory.isAhead(report)).toBe(true);
      const next = memory.nextEpoch(report);
      memory = remembering(next, 'a');
    }
    expect(memory.last).toEqual(at(1_001_000, 1_001));
  });
});
