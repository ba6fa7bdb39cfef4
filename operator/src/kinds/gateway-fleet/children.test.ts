/** Every spec in `testdata` as the objects it becomes; UPDATE=1 rewrites `children`. */
import { goldenCases } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { childrenOf } from './children.ts';
import { aFleet } from './testing.ts';

const SETTINGS = {
  image: 'registry.example/gatehouse-gateway:1.2.3',
  operatorNamespace: 'gatehouse-system',
  operatorAccount: { namespace: 'gatehouse-system', name: 'gatehouse-operator' },
  metricsNamespaces: ['monitoring'],
  fleetNamespaces: new Set(['gatehouse-system', 'gatehouse-gateways']),
};
const FACTS = { replicas: 2, secretsDigest: 'digest-of-secrets', metadataUses: [] };

describe('the children of a fleet', () => {
  test.for(goldenCases(new URL('./testdata/', import.meta.url)))('$name', (golden) => {
    const fleet = aFleet(golden.given['spec'] as object); // a test fixture
    golden.check('children', childrenOf(fleet, SETTINGS, FACTS));
  });

  test('leave the number of pods to an autoscaler', () => {
    const autoscaled = aFleet({ autoscaling: { maxReplicas: 9 } });
    const deployment = childrenOf(autoscaled, SETTINGS, { ...FACTS, replicas: undefined }).find(
      ({ kind }) => kind === 'Deployment',
    );
    expect(deployment?.['spec']).not.toHaveProperty('replicas');
  });

  test.for([
    { rule: 'is that of the installation for its own image', spec: {}, policy: 'Never' },
    { rule: 'is left to the cluster for another image', spec: { image: 'other:1' }, policy: undefined },
    { rule: 'is that of the fleet if it has one', spec: { imagePullPolicy: 'Always' }, policy: 'Always' },
  ])('the pull policy $rule', ({ spec, policy }) => {
    const children = JSON.stringify(childrenOf(aFleet(spec), { ...SETTINGS, imagePullPolicy: 'Never' }, FACTS));
    expect(/"imagePullPolicy":"(\w+)"/.exec(children)?.[1]).toBe(policy);
  });

  test('run exactly the image that the fleet names by its digest', () => {
    const image = `registry.example/gateway@sha256:${'5'.repeat(64)}`;
    const images = /"image":"([^"]*)"/g;
    const children = JSON.stringify(childrenOf(aFleet({ image }), SETTINGS, FACTS));
    expect([...children.matchAll(images)].map(([, found]) => found)).toEqual([image]);
  });

  test('admit an operator on the network of its nodes to the admin port', () => {
    const children = childrenOf(aFleet({}), { ...SETTINGS, operatorCidrs: ['10.0.0.0/16'] }, FACTS);
    const policy = children.find(({ kind }) => kind === 'NetworkPolicy');
    expect(policy).toMatchObject({
      spec: {
        ingress: [
          { ports: [{ port: 8787 }] },
          { from: expect.arrayContaining([{ ipBlock: { cidr: '10.0.0.0/16' } }]), ports: [{ port: 8789 }] },
        ],
      },
    });
  });

  test.for([
    { rule: 'waits for the whole drain', spec: { drainDelaySeconds: 10, drainTimeoutSeconds: 600 }, atLeast: 610 },
    { rule: 'waits for the default drain', spec: {}, atLeast: 305 },
  ])('the kubelet $rule before it kills', ({ spec, atLeast }) => {
    const children = JSON.stringify(childrenOf(aFleet(spec), SETTINGS, FACTS));
    const [, seconds] = /"terminationGracePeriodSeconds":(\d+)/.exec(children) ?? [];
    expect(Number(seconds)).toBeGreaterThan(atLeast);
  });

  test('keep the labels of the operator where pods have labels of the same name', () => {
    const labels = { 'gatehouse.dev/fleet': 'other', team: 'a' };
    const children = childrenOf(aFleet({ pod: { labels } }), SETTINGS, FACTS);
    const deployment = children.find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({
      spec: { template: { metadata: { labels: { 'gatehouse.dev/fleet': 'default', team: 'a' } } } },
    });
  });

  test('are the same for the same fleet', () => {
    const once = childrenOf(aFleet({}), SETTINGS, FACTS);
    expect(childrenOf(aFleet({}), SETTINGS, FACTS)).toEqual(once);
    expect(once.map(({ kind }) => kind)).not.toContain('HorizontalPodAutoscaler');
  });
});
