import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { API_VERSION } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import type { AccessState } from '../kinds/gateway-fleet/index.ts';
import type { QuotaStanding, World, WorldObject } from '../translate/index.ts';
import { createPublishTargets } from './publish-targets.ts';

const BROKEN = { image: 7 };

const fleet = (spec: object, metadata: object = {}): WorldObject => ({
  apiVersion: API_VERSION,
  kind: 'GatewayFleet',
  metadata: { name: 'main', namespace: 'fleets', uid: 'u1', ...metadata },
  spec,
});

const team: WorldObject = {
  apiVersion: API_VERSION,
  kind: 'Workspace',
  metadata: { name: 'team' },
  spec: { namespace: 'team' },
};

function world(object: WorldObject): World {
  const { namespace, name } = object.metadata;
  return {
    resources: new Map([
      ['Workspace', new Map([['team', team]])],
      ['GatewayFleet', new Map([[`${namespace}/${name}`, object]])],
    ]),
    secrets: new Map(),
    namespaces: new Map([['team', new Map([['gatehouse.dev/workspace', 'team']])]]),
    settings: { organisationNamespace: 'org', consent: 'label', mintsKeys: true, caps: DEFAULT_TARGET_CAPS },
    served: 'all',
  };
}

interface Circumstances {
  readonly deployed: boolean;
  readonly access?: AccessState;
  readonly broken?: QuotaStanding['broken'];
}

function targets({ deployed, access = 'allowed', broken = [] }: Circumstances) {
  const targetsIn = createPublishTargets({
    settings: { fleetNamespaces: new Set(['fleets']) },
    isDeployed: () => deployed,
    access: { stateOf: () => access },
  });
  return (ground: World) => targetsIn({ world: ground, brokenBy: () => broken });
}

describe('a fleet that is not valid', () => {
  test('keeps its last valid spec', () => {
    const placesIn = targets({ deployed: false });
    placesIn(world(fleet({ workspaces: ['team'] })));
    const [place] = placesIn(world(fleet({ ...BROKEN, workspaces: ['other'] })));
    expect(place?.served).toEqual(new Set(['team']));
  });

  test.for([
    { rule: 'for all', spec: {}, served: 'all' as const },
    { rule: 'for those it names', spec: { workspaces: ['team', 'nobody'] }, served: new Set(['team']) },
    { rule: 'for none that it does not', spec: { workspaces: ['nobody'] }, served: new Set<string>() },
  ])('with pods is published to $rule, also after a restart', ({ spec, served }) => {
    expect(targets({ deployed: true })(world(fleet({ ...BROKEN, ...spec })))).toMatchObject([
      { key: 'fleets/main', suspended: false, owner: 'organisation', served },
    ]);
  });

  test.for([
    { rule: 'breaks the schema', object: fleet(BROKEN) },
    { rule: 'breaks another rule', object: fleet({ env: [{ name: 'PORT', value: '1' }] }) },
    { rule: 'names a Workspace that does not exist', object: fleet({ workspaces: ['nobody'] }) },
    { rule: 'is in a namespace without fleets', object: fleet({}, { namespace: 'elsewhere' }) },
  ])('and $rule is refused until it has pods', ({ object }) => {
    expect(targets({ deployed: false })(world(object))).toMatchObject([{ refused: true }]);
    expect(targets({ deployed: true })(world(object))).toMatchObject([{ refused: false }]);
    expect(targets({ deployed: false })(world(fleet({})))).toMatchObject([{ refused: false }]);
  });

  test.for([
    { rule: 'on its way out', deployed: true, object: fleet(BROKEN, { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    { rule: 'that names its workspaces in no way', deployed: true, object: fleet({ workspaces: 7 }) },
  ])('is none $rule', ({ deployed, object }) => {
    expect(targets({ deployed })(world(object))).toEqual([]);
  });

  test.for([
    { rule: 'stays suspended', object: fleet({ ...BROKEN, suspend: true }), want: { suspended: true } },
    {
      rule: 'serves no workspace in a namespace without fleets',
      object: fleet(BROKEN, { namespace: 'elsewhere' }),
      want: { owner: undefined, served: new Set() },
    },
    {
      rule: "serves a tenant only what is the tenant's",
      object: fleet(BROKEN, { namespace: 'team' }),
      want: { owner: 'workspace', served: new Set(['team']) },
    },
  ])('$rule', ({ object, want }) => {
    expect(targets({ deployed: true })(world(object))).toMatchObject([want]);
  });
});

describe('a fleet is refused', () => {
  const ofTenant = fleet({}, { namespace: 'team' });
  const ofOrganisation = fleet({});
  test.for([
    { rule: 'beyond the number its workspace may have, deployed or not', object: ofTenant, broken: ['gatewayFleets'] },
    { rule: 'without rights, deployed or not', object: ofTenant, access: 'denied' },
    { rule: 'without rights also where it is of the organisation', object: ofOrganisation, access: 'denied' },
  ] as const)('$rule', ({ object, ...given }) => {
    for (const deployed of [true, false]) {
      expect(targets({ deployed, ...given })(world(object))).toMatchObject([{ refused: true }]);
    }
  });

  test.for([
    { rule: 'beyond other bounds', given: { broken: ['bytes'] } },
    { rule: 'while its access is unknown', given: { access: 'unknown' } },
  ] as const)('$rule, until it has pods', ({ given }) => {
    expect(targets({ deployed: false, ...given })(world(ofTenant))).toMatchObject([{ refused: true }]);
    expect(targets({ deployed: true, ...given })(world(ofTenant))).toMatchObject([{ refused: false }]);
  });

  test('outside the organisation while it is unknown whether it may run', () => {
    const placesIn = targets({ deployed: false, access: 'unknown' });
    expect(placesIn(world(ofOrganisation))).toMatchObject([{ refused: false }]);
  });
});
