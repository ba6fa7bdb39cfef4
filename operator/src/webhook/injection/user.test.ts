import { describe, expect, test } from 'vitest';
import type { Container, Pod } from './pod.ts';
import { sidecarUser } from './user.ts';

const as = (runAsUser: number) => ({ securityContext: { runAsUser } });
const podOf = (containers: readonly object[], more: object = {}): Pod => ({
  spec: { ...more, containers: containers.map((container, i): Container => ({ name: `app-${i}`, ...container })) },
});
const OPENSHIFT = '1000660000/10000';

describe('a sidecar runs as', () => {
  test.for([
    { rule: 'a user of its own', pod: podOf([{}]), range: undefined, want: 64_787 },
    { rule: 'another user than a container', pod: podOf([as(64_787), as(64_788)]), range: undefined, want: 64_789 },
    { rule: 'another user than the pod', pod: podOf([{}], as(64_787)), range: undefined, want: 64_788 },
    {
      rule: 'another user than an init container',
      pod: podOf([{}], { initContainers: [{ name: 'init', ...as(64_787) }] }),
      range: undefined,
      want: 64_788,
    },
    {
      rule: 'the second user of the range, since the platform gives the first to all others',
      pod: podOf([{}]),
      range: OPENSHIFT,
      want: 1_000_660_001,
    },
    {
      rule: 'a user that is free in the range',
      pod: podOf([as(1_000_660_001)]),
      range: OPENSHIFT,
      want: 1_000_660_002,
    },
    { rule: 'a user of a range from first to last', pod: podOf([{}]), range: '2000-2001', want: 2001 },
    { rule: 'the only user of a range', pod: podOf([as(2000)]), range: '2000/1', want: 2000 },
    { rule: 'the first user of a range without a free one', pod: podOf([as(2001)]), range: '2000-2001', want: 2000 },
    { rule: 'its own user where the range begins with root', pod: podOf([{}]), range: '0/10', want: 64_787 },
    { rule: 'its own user where the range is empty', pod: podOf([{}]), range: '2000/0', want: 64_787 },
    { rule: 'its own user where the range is beyond all users', pod: podOf([{}]), range: '3000000000/1', want: 64_787 },
    { rule: 'its own user where the range is none', pod: podOf([{}]), range: 'any', want: 64_787 },
  ])('$rule', ({ pod, range, want }) => {
    expect(sidecarUser(pod, range)).toBe(want);
  });

  test('one and the same user in a second review', () => {
    const pod = podOf([{}]);
    const user = sidecarUser(pod);
    const initContainers = [{ name: 'gatehouse', ...as(user) }];
    expect(sidecarUser({ ...pod, spec: { ...pod.spec, initContainers } })).toBe(user);
  });
});
