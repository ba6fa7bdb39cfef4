import { describe, expect, test } from 'vitest';
import type { World, WorldObject } from '../../translate/index.ts';
import { workspacesServedBy } from './placement.ts';
import { aFleet, aWorld } from './testing.ts';

const workspace = (name: string, namespace: string, labels: Record<string, string> = {}): WorldObject => ({
  apiVersion: 'gatehouse.dev/v1alpha1',
  kind: 'Workspace',
  metadata: { name, labels },
  spec: { namespace },
});

/** `a` and `b` have namespaces that agree; `c` claims one that does not. */
const WORLD: Pick<World, 'resources' | 'namespaces'> = {
  resources: new Map([
    [
      'Workspace' as const,
      new Map([
        ['a', workspace('a', 'team-a', { tier: 'gold' })],
        ['b', workspace('b', 'team-b', { tier: 'silver' })],
        ['c', workspace('c', 'silent')],
      ]),
    ],
  ]),
  namespaces: new Map([
    ['team-a', new Map([['gatehouse.dev/workspace', 'a']])],
    ['team-b', new Map([['gatehouse.dev/workspace', 'b']])],
    ['stranger', new Map([['gatehouse.dev/workspace', 'a']])],
    ['silent', new Map()],
    ['gatehouse-gateways', new Map()],
  ]),
};
const ORGANISATION = { fleetNamespaces: new Set(['gatehouse-gateways']) };

describe('the workspaces of a fleet', () => {
  test.for([
    { rule: 'are all, in the hands of the organisation', namespace: 'gatehouse-gateways', spec: {}, served: 'all' },
    {
      rule: 'are those it lists',
      namespace: 'gatehouse-gateways',
      spec: { workspaces: ['b', 'a'] },
      served: ['a', 'b'],
    },
    {
      rule: 'are those with the labels',
      namespace: 'gatehouse-gateways',
      spec: { workspaceSelector: { matchLabels: { tier: 'gold' } } },
      served: ['a'],
    },
    {
      rule: 'are those that meet every expression',
      namespace: 'gatehouse-gateways',
      spec: {
        workspaceSelector: {
          matchExpressions: [
            { key: 'tier', operator: 'NotIn', values: ['gold'] },
            { key: 'tier', operator: 'Exists' },
          ],
        },
      },
      served: ['b'],
    },
    {
      rule: 'without a label are in no set of values',
      namespace: 'gatehouse-gateways',
      spec: { workspaceSelector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] } },
      served: ['b', 'c'],
    },
    {
      rule: 'may be named before they exist',
      namespace: 'gatehouse-gateways',
      spec: { workspaces: ['a', 'new'] },
      served: ['a'],
      refused: ['RefNotFound spec.workspaces[1]'],
    },
    { rule: 'are its own, in the namespace of one', namespace: 'team-a', spec: {}, served: ['a'] },
    { rule: 'are its own, when it names it', namespace: 'team-a', spec: { workspaces: ['a'] }, served: ['a'] },
    {
      rule: 'are none but its own, whatever it names',
      namespace: 'team-a',
      spec: { workspaces: ['a', 'b', 'new'] },
      served: ['a'],
      refused: ['RefNotPermitted spec.workspaces[1]', 'RefNotPermitted spec.workspaces[2]'],
    },
    {
      rule: 'are none but its own, whatever it selects',
      namespace: 'team-a',
      spec: { workspaceSelector: { matchLabels: { tier: 'silver' } } },
      served: [],
    },
    ...['silent', 'stranger', 'unknown'].map((namespace) => ({
      rule: `are none, in the ${namespace} namespace`,
      namespace,
      spec: { workspaces: ['a'] },
      served: [],
      refused: ['RefNotPermitted metadata.namespace'],
    })),
  ])('$rule', ({ namespace, spec, served, refused = [] }) => {
    const placement = workspacesServedBy(aFleet(spec, { namespace }), WORLD, ORGANISATION);
    expect(placement.served === 'all' ? 'all' : [...placement.served].sort()).toEqual(served);
    expect(placement.issues.map(({ reason, path }) => `${reason} ${path}`)).toEqual(refused);
  });

  test.for([
    { namespace: 'gatehouse-gateways', owner: 'organisation' },
    { namespace: 'team-a', owner: 'workspace' },
    { namespace: 'silent', owner: undefined },
  ])('in $namespace has the owner $owner', ({ namespace, owner }) => {
    expect(workspacesServedBy(aFleet({}, { namespace }), WORLD, ORGANISATION).owner).toBe(owner);
  });
});

describe('metadata addresses that a fleet of a workspace asks for', () => {
  const refusedOf = (network: object, grants: readonly object[], namespace = 'team-a') =>
    workspacesServedBy(aFleet({ network }, { namespace }), aWorld(grants), ORGANISATION).issues;

  test.for([
    { network: { metadataAccess: ['aws', 'gcp'] }, path: 'spec.network.metadataAccess', clouds: 'gcp' },
    { network: { egress: 'Open' }, path: 'spec.network.egress', clouds: 'azure, gcp' },
  ])('are refused at $path as far as they are not granted', ({ network, path, clouds }) => {
    expect(refusedOf(network, [{ workspace: 'a', clouds: ['aws'] }])).toMatchObject([
      { reason: 'IdentityNotGranted', path, message: expect.stringContaining(`the metadata addresses of ${clouds}:`) },
    ]);
  });

  test('are served where they are granted, and for the organisation', () => {
    expect(refusedOf({ metadataAccess: ['aws'] }, [{ workspace: 'a', clouds: ['aws'] }])).toEqual([]);
    expect(refusedOf({ metadataAccess: ['aws'] }, [], 'gatehouse-gateways')).toEqual([]);
  });
});
