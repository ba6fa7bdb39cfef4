import { describe, expect, test } from 'vitest';
import { MAX_ENDPOINTS, podAddresses, readService } from './endpoints.ts';
import type { PodObject, ServiceObject, SliceObject } from './kinds.ts';

const metadata = { name: 'x', namespace: 'team-a' };
const pod = (ip: string, more: { hostNetwork?: boolean; phase?: string } = {}): PodObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { hostNetwork: more.hostNetwork },
  status: { phase: more.phase ?? 'Running', podIPs: [{ ip }] },
});
const service = (spec: ServiceObject['spec'] = { ports: [{ port: 80 }] }): ServiceObject => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata },
  ...(spec === undefined ? {} : { spec }),
});
const slice = (addresses: readonly string[], port = 8000, ready: boolean | null = true): SliceObject => ({
  ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata },
  ports: [{ name: null, port }],
  endpoints: [{ addresses, conditions: { ready } }],
});
const PODS = podAddresses([pod('10.0.0.1'), pod('10.0.0.2'), pod('fd00::1')]);
const endpointsOf = (...given: Parameters<typeof readService>) => {
  const reading = readService(...given);
  return reading.kind === 'ports' ? reading.endpoints.get(80) : reading.kind;
};

describe('a Service leads to', () => {
  test('its ready pods at their port, in order', () => {
    const slices = [slice(['10.0.0.2']), slice(['10.0.0.1', 'fd00::1'])];
    expect(endpointsOf(service(), slices, PODS)).toEqual(['10.0.0.1:8000', '10.0.0.2:8000', '[fd00::1]:8000']);
  });

  test.for([
    { rule: 'an address that was written into a slice by hand', slices: [slice(['10.9.9.9'])] },
    { rule: 'a pod that is not ready', slices: [slice(['10.0.0.1'], 8000, false)] },
    { rule: 'a port of another name', slices: [{ ...slice(['10.0.0.1']), ports: [{ name: 'other', port: 1 }] }] },
  ])('not to $rule', ({ slices }) => {
    expect(endpointsOf(service(), slices, PODS)).toEqual([]);
  });

  test.for([
    { rule: 'on the network of its node', given: pod('10.0.0.1', { hostNetwork: true }) },
    { rule: 'that has ended', given: pod('10.0.0.1', { phase: 'Succeeded' }) },
  ])('not to a pod $rule', ({ given }) => {
    expect(endpointsOf(service(), [slice(['10.0.0.1'])], podAddresses([given]))).toEqual([]);
  });

  test('nowhere when it is an ExternalName, or not there', () => {
    expect(endpointsOf(service({ type: 'ExternalName', ports: [{ port: 80 }] }), [slice(['10.0.0.1'])], PODS)).toBe(
      'external',
    );
    expect(endpointsOf(undefined, [slice(['10.0.0.1'])], PODS)).toBe('absent');
  });

  test('not more pods than an entry has room for', () => {
    const addresses = Array.from({ length: 200 }, (_, i) => `10.1.0.${i}`);
    expect(endpointsOf(service(), [slice(addresses)], new Set(addresses))).toHaveLength(MAX_ENDPOINTS);
  });
});
