import { describe, expect, test } from 'vitest';
import { createStore, type KubeObject } from '../../runtime/index.ts';
import { childKeeper } from './bare-child.ts';
import type { FleetObject } from './kube-kinds.ts';

const fleets = createStore<FleetObject>();
const identity = { name: 'main', namespace: 'team-a', uid: 'fleet', resourceVersion: '1' };
const spec = { pod: { annotations: { 'example.com/large': 'x'.repeat(100_000) } } };
fleets.put({ apiVersion: 'gatehouse.dev/v1alpha1', kind: 'GatewayFleet', metadata: identity, spec }, { initial: true });
const keep = childKeeper(fleets);

function childOf(uid: string, bytes: number): KubeObject & { readonly spec: unknown } {
  const owner = { apiVersion: 'gatehouse.dev/v1alpha1', kind: 'GatewayFleet', name: 'main', uid, controller: true };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...{ name: 'main-gateway', namespace: 'team-a', uid: 'child', resourceVersion: '2' },
      labels: { 'gatehouse.dev/fleet': 'main', 'example.com/other': 'x' },
      ownerReferences: [owner],
    },
    spec: { text: 'x'.repeat(bytes) },
  };
}

describe('an object with the labels of a child', () => {
  test('is kept whole while its fleet owns it', () => {
    const child = childOf('fleet', 100_000);
    expect(keep(child)).toBe(child);
  });

  test.for([
    { rule: 'that no fleet owns', child: childOf('another', 10) },
    { rule: 'that is larger than its fleet explains', child: childOf('fleet', 400_000) },
  ])('$rule is kept with its name and owner alone', ({ child }) => {
    const { labels: _, ...metadata } = child.metadata;
    expect(keep(child)).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', metadata });
  });
});
