import { parseResource, type SidecarProfile } from '@gatehouse/crds/kinds';
import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createStore } from '../../runtime/index.ts';
import { fleetOfSidecars } from './fleet-of-sidecars.ts';
import type { FleetObject } from './kube-kinds.ts';
import type { FleetWorld } from './placement.ts';
import { aFleet } from './testing.ts';

const ORGANISATION = 'gatehouse-gateways';
const WORLD: FleetWorld = {
  resources: new Map([
    [
      'Workspace' as const,
      new Map([
        [
          'a',
          {
            apiVersion: 'gatehouse.dev/v1alpha1',
            kind: 'Workspace',
            metadata: { name: 'a' },
            spec: { namespace: 'team-a' },
          },
        ],
      ]),
    ],
  ]),
  namespaces: new Map([['team-a', new Map([['gatehouse.dev/workspace', 'a']])]]),
};

const BARE = unwrap(
  parseResource('SidecarProfile', {
    apiVersion: 'gatehouse.dev/v1alpha1',
    kind: 'SidecarProfile',
    metadata: { name: 'default', namespace: 'team-a' },
    spec: {},
  }),
);

type FleetRef = NonNullable<SidecarProfile['spec']['fleetRef']>;

const profile = (fleetRef?: FleetRef): SidecarProfile =>
  fleetRef === undefined ? BARE : { ...BARE, spec: { ...BARE.spec, fleetRef } };

interface Given {
  readonly name: string;
  readonly namespace?: string;
  readonly spec?: object;
  readonly status?: object;
}

function choose(fleetRef: FleetRef | undefined, ...given: readonly Given[]) {
  const fleets = createStore<FleetObject>();
  for (const { name, namespace = ORGANISATION, spec = {}, status } of given) {
    const fleet: FleetObject = { ...aFleet(spec, { name, namespace }), ...(status && { status: { ...status } }) };
    fleets.put(fleet, { initial: false });
  }
  const settings = { fleetNamespaces: new Set([ORGANISATION]) };
  return fleetOfSidecars(profile(fleetRef), 'a', { fleets, world: WORLD, settings });
}

const TLS = { address: 'https://main-gateway.gatehouse-gateways.svc:8443', certificateAuthority: 'PEM' };
const MAIN = { name: 'main', namespace: ORGANISATION };

describe('the fleet of sidecars', () => {
  test('is the one that the profile names, with the authority of its certificate', () => {
    const found = choose(MAIN, { name: 'main', status: TLS }, { name: 'other', status: TLS });
    expect(found).toEqual({
      kind: 'found',
      name: 'gatehouse-gateways/main',
      address: { url: TLS.address, ca: 'PEM' },
    });
  });

  test('takes rows of the request log where it keeps one', () => {
    const spec = { records: { postgres: { urlSecretRef: { name: 'logs', key: 'url' } } } };
    expect(choose(MAIN, { name: 'main', spec, status: TLS })).toMatchObject({ address: { records: true } });
  });

  test('is none for a profile that names none', () => {
    expect(choose(undefined, { name: 'main', status: TLS })).toEqual({ kind: 'none' });
  });

  test('cannot be told from one that does not exist when it serves other workspaces or belongs to a tenant', () => {
    const absent = choose(MAIN);
    expect(absent).toMatchObject({ kind: 'refused', reason: 'RefNotFound' });
    expect(choose(MAIN, { name: 'main', spec: { workspaces: ['b'] }, status: TLS })).toEqual(absent);
    expect(choose({ name: 'own' }, { name: 'own', namespace: 'team-a', status: TLS })).toMatchObject({
      reason: 'RefNotFound',
    });
  });

  test('needs TLS, and an address', () => {
    expect(choose(MAIN, { name: 'main', status: { address: 'http://main' } })).toMatchObject({
      reason: 'RefNotPermitted',
      message: expect.stringContaining('tlsSecretRef'),
    });
    expect(choose(MAIN, { name: 'main' })).toMatchObject({ reason: 'Pending' });
  });
});
