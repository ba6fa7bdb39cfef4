import { describe, expect, test } from 'vitest';
import { overlap, rangesOf, SLOTS } from './ranges.ts';

test.for([
  { rule: 'a network and one inside it', a: '10.0.0.0/8', b: '10.98.3.0/24', want: true },
  { rule: 'the same the other way round', a: '10.98.3.0/24', b: '10.0.0.0/8', want: true },
  { rule: 'an address without a length', a: '10.98.3.7', b: '10.98.3.0/24', want: true },
  { rule: 'neighbours', a: '10.98.2.0/24', b: '10.98.3.0/24', want: false },
  { rule: 'halves of a larger block', a: '10.96.0.0/20', b: '10.96.16.0/20', want: false },
])('$rule overlap: $want', ({ a, b, want }) => {
  expect(overlap(a, b)).toBe(want);
});

describe('slots', () => {
  const all = Array.from({ length: SLOTS }, (_, slot) => rangesOf(slot));
  const cidrs = all.flatMap(({ nodes, pods, services }) => [nodes.cidr, pods.cidr, services.cidr]);

  test('share no address and no name', () => {
    for (const [i, a] of cidrs.entries()) expect(cidrs.slice(i + 1).filter((b) => overlap(a, b))).toEqual([]);
    expect(new Set(all.map(({ link }) => link)).size).toBe(SLOTS);
  });

  test('keep what they give inside their ranges', () => {
    for (const { nodes, pods, services, host } of all) {
      expect(overlap(nodes.cidr, nodes.address(8))).toBe(true);
      expect(overlap(nodes.cidr, host)).toBe(true);
      expect(overlap(pods.cidr, pods.ofNode(8))).toBe(true);
      expect(overlap(services.cidr, services.first)).toBe(true);
    }
  });
});
