import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { API_VERSION, type KindName, parseResource } from '@gatehouse/crds/kinds';
import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { FleetObject } from '../kinds/gateway-fleet/index.ts';
import { createStore, type KubeObject } from '../runtime/index.ts';
import {
  type ClusterIssuer,
  EMPTY_SNAPSHOT,
  type SecretReading,
  translate,
  type WorldObject,
} from '../translate/index.ts';
import type { CustomObject, Translated } from '../world/index.ts';
import { createOperatorView } from './operator-view.ts';

const TEAM = 'team';
const object = (kind: KindName, name: string, spec: object): WorldObject => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name, generation: 1, ...(kind === 'Workspace' ? {} : { namespace: TEAM }) },
  spec,
});
const ACCOUNT = object('VirtualKey', 'own', { provider: 'openai', secretRef: { name: 'account', key: 'key' } });
const LOCAL = object('VirtualKey', 'local', { provider: 'ollama', customHost: 'http://ollama:11434' });
const KEY_IN_SECRET = object('ApiKey', 'app', {
  secretRef: { name: 'account', key: 'key' },
  type: 'workspace-service',
  scopes: ['completions.write'],
});

const FLEET: FleetObject = {
  ...object('GatewayFleet', 'main', {}),
  metadata: { name: 'main', namespace: 'fleets', generation: 1 },
  status: { address: 'https://main.fleets.svc:8443' },
};
const ISSUER: ClusterIssuer = { issuer: 'https://kubernetes.default.svc', keys: [] };

interface Circumstances {
  /** What this replica knows of the Secret. */
  readonly reading?: SecretReading | undefined;
  readonly objects?: readonly WorldObject[];
  readonly leads?: boolean;
  readonly retired?: boolean;
  /** Absent: the operator could not read it. */
  readonly issuer?: ClusterIssuer;
}

function replica({ reading, objects = [ACCOUNT, LOCAL], leads = false, retired = false, issuer }: Circumstances) {
  const profiles = createStore<CustomObject>();
  const fleets = createStore<FleetObject>();
  fleets.put(FLEET, { initial: false });
  let latest: Translated | undefined;
  const turn = (next: SecretReading | undefined): void => {
    const all = [object('Workspace', TEAM, { namespace: TEAM }), object('SidecarProfile', 'default', {}), ...objects];
    const resources = Map.groupBy(all, ({ kind }) => kind);
    const world = {
      resources: new Map(
        [...resources].map(([kind, found]) => [
          kind,
          new Map(found.map((one) => [kind === 'Workspace' ? TEAM : `${TEAM}/${one.metadata.name}`, one])),
        ]),
      ),
      secrets: new Map(next === 'known' ? [[`${TEAM}/account`, new Map([['key', 'sk']])]] : []),
      secretReadings: new Map(next === undefined ? [] : [[`${TEAM}/account`, next]]),
      namespaces: new Map(),
      settings: {
        organisationNamespace: 'gatehouse-system',
        consent: 'implied' as const,
        mintsKeys: false,
        caps: DEFAULT_TARGET_CAPS,
        clusterIssuer: issuer,
        operatorAccount: { namespace: 'system', name: 'operator' },
      },
      served: 'all' as const,
    };
    latest = { world, translation: translate(world, latest?.translation), sequence: 0, sinceMs: 0 };
  };
  turn(reading);
  const view = createOperatorView({
    translations: {
      get latest() {
        return latest;
      },
    },
    namespaces: createStore<KubeObject>(),
    retirement: { isOn: retired },
    sidecarPods: { indexed: () => new Set() },
    kinds: new Map([['SidecarProfile', profiles]]),
    leader: { leads },
    fleets: { fleets },
    settings: { fleetNamespaces: new Set(['fleets']) },
  });
  return {
    view,
    turn,
    starts: (): boolean => view.startsWith(TEAM, view.snapshotFor(TEAM) ?? EMPTY_SNAPSHOT),
    publish: (snapshotVersion: number): void => {
      const metadata = { name: 'default', namespace: TEAM, resourceVersion: String(snapshotVersion) };
      profiles.put(
        { apiVersion: API_VERSION, kind: 'SidecarProfile', metadata, status: { snapshotVersion } },
        { initial: false },
      );
    },
  };
}

describe('a stream starts', () => {
  test.for<{ rule: string; given: Circumstances; want: boolean }>([
    { rule: 'on a replica that has read everything', given: { reading: 'known' }, want: true },
    { rule: 'not on one that may not read a Secret', given: { reading: 'denied' }, want: false },
    { rule: 'not on one that has not read a Secret yet', given: { reading: undefined }, want: false },
    { rule: 'on the leader, whatever it may read', given: { reading: 'denied', leads: true }, want: true },
    {
      rule: 'where only a key is not read, which no sidecar gets',
      given: { reading: 'denied', objects: [LOCAL, KEY_IN_SECRET] },
      want: true,
    },
    {
      rule: 'with nothing, on every replica, after a retirement',
      given: { reading: 'denied', retired: true },
      want: true,
    },
  ])('$rule', ({ given, want }) => {
    expect(replica(given).starts()).toBe(want);
  });

  test('on a replica that may not read a Secret once the leader has published the same', () => {
    const { view, publish, starts } = replica({ reading: 'denied' });
    const { version = 0 } = view.snapshotFor(TEAM) ?? {};
    publish(version + 1);
    expect(starts()).toBe(false);
    publish(version);
    expect(starts()).toBe(true);
  });

  test('on a replica from the moment it has read the Secret', () => {
    const { turn, starts } = replica({ reading: 'denied' });
    expect(starts()).toBe(false);
    turn('known');
    expect(starts()).toBe(true);
  });

  test('with nothing where the workspace has ended', () => {
    const { view } = replica({ reading: 'denied' });
    expect(view.startsWith('elsewhere', EMPTY_SNAPSHOT)).toBe(true);
  });
});

describe('the fleet of a profile', () => {
  const profile = unwrap(
    parseResource(
      'SidecarProfile',
      object('SidecarProfile', 'default', { fleetRef: { name: 'main', namespace: 'fleets' } }),
    ),
  );
  test('knows pods by tokens whose issuer the operator has read', () => {
    expect(replica({ reading: 'known', issuer: ISSUER }).view.fleetOf(profile, TEAM)).toMatchObject({ kind: 'found' });
  });

  test('is refused with the right that is missing where the operator could not read it', () => {
    expect(replica({ reading: 'known' }).view.fleetOf(profile, TEAM)).toMatchObject({
      kind: 'refused',
      reason: 'AccessDenied',
      message: expect.stringMatching(/^spec\.fleetRef: .*--serviceaccount=system:operator$/),
    });
  });
});
