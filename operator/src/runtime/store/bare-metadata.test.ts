import { expect, test } from 'vitest';
import { bareMetadata } from './bare-metadata.ts';

const owner = (name: string, controller: boolean) => ({ apiVersion: 'v1', kind: 'Owner', name, uid: name, controller });

const full = {
  name: 'one',
  namespace: 'team-a',
  uid: 'u',
  generation: 2,
  resourceVersion: '3',
  creationTimestamp: '2027-01-01T00:00:00Z',
  deletionTimestamp: '2027-01-02T00:00:00Z',
  labels: Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`label-${i}`, 'x'.repeat(63)])),
  annotations: { 'example.com/read': 'a'.repeat(100_000), 'example.com/other': 'b'.repeat(100_000) },
  finalizers: Array.from({ length: 1_000 }, (_, i) => `example.com/finalizer-${i}`),
  ownerReferences: [owner('other', false), owner('controlling', true), owner('second', true)],
};

test('keeps name, versions and timestamps of metadata', () => {
  expect(bareMetadata(full)).toEqual({
    ...{ name: 'one', namespace: 'team-a', uid: 'u', generation: 2, resourceVersion: '3' },
    creationTimestamp: '2027-01-01T00:00:00Z',
    deletionTimestamp: '2027-01-02T00:00:00Z',
  });
  expect(Object.keys(bareMetadata({ name: 'cluster-wide' }))).toEqual(['name']);
});

test('keeps wanted labels, the start of annotations and one owner', () => {
  const bare = bareMetadata(full, { labels: ['label-7', 'none'], annotations: ['example.com/read'], owner: true });
  expect(bare.labels).toEqual({ 'label-7': 'x'.repeat(63) });
  expect(bare.annotations).toEqual({ 'example.com/read': 'a'.repeat(256) });
  expect(bare.ownerReferences).toEqual([owner('controlling', true)]);
  expect(JSON.stringify(bare).length).toBeLessThan(1_000);
});
