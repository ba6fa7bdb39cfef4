/** Fleets with real modules, and simulated publishers and pods. */
import type { Oversized } from '@gatehouse/crds/snapshot';
import { ApiError } from '../../runtime/index.ts';
import { translate } from '../../translate/index.ts';
import type { Translated } from '../../world/index.ts';
import type { Acknowledgement } from '../index.ts';
import { createFleets } from './fleets.ts';
import type { FleetParts, PublishTarget } from './ports.ts';

const WORLD = {
  resources: new Map(),
  secrets: new Map(),
  namespaces: new Map(),
  settings: {
    organisationNamespace: 'org',
    consent: 'label' as const,
    mintsKeys: true,
    caps: { maxRoot: 100, maxConditionalRoot: 1000, maxNested: 50 } as never, // nothing here has targets
  },
  served: 'all' as const,
};

export const translated = (sequence: number): Translated => ({
  world: WORLD,
  sequence,
  sinceMs: 0,
  translation: translate(WORLD),
});

export const target = (over: Partial<PublishTarget> = {}): PublishTarget => ({
  key: 'fleets/main',
  identity: { namespace: 'fleets', name: 'main', uid: 'u1' },
  suspended: false,
  refused: false,
  owner: 'organisation',
  served: 'all',
  ...over,
});

export const asked = (sequence: number, late = false) => ({
  workspace: 'team',
  origin: 'GatewayConfig/team/main',
  sequence,
  late,
});

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export type Row = Partial<Acknowledgement['answer']> | undefined;

const POD = { name: 'pod', uid: 'p1', ip: '127.0.0.1', ready: true };

/** Fleets of one pod each, whose answers the test sets; the fleet `main` unless another is named. */
export function stage() {
  const stop = new AbortController();
  const pods = simulatePods();
  const publishers = simulatePublishers();
  const propagated: number[] = [];
  const unserved: string[][] = [];
  const counted: string[] = [];
  let rearranged = 0;
  const fleets = createFleets(
    {
      ports: {
        podsOf: () => [POD],
        createParts: ({ name }, onChange) => ({
          publisher: publishers.of(name),
          watchPublished: async () => {},
          acknowledgements: pods.acknowledgementsOf(name, onChange),
        }),
      },
      onPropagated: (seconds) => propagated.push(seconds),
      onChange: () => {},
      onProgress: () => {},
      onUnservedChange: (origins) => unserved.push([...origins]),
      onCountersChange: (serves) => counted.push(serves('team') ? 'team' : 'another'),
      onPlacementChange: () => {
        rearranged += 1;
      },
      log: QUIET,
    },
    stop.signal,
  );
  return {
    fleets,
    propagated,
    unserved,
    counted,
    tooLarge: publishers.tooLarge,
    rearrangements: () => rearranged,
    epochs: publishers.epochs,
    refuse: publishers.refuse,
    version: (name = 'main') => publishers.versionOf(name),
    askLater: pods.askLater,
    answer: pods.answer,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'));
      await fleets.close();
    },
  };
}

/** Publishers that count versions, and refuse as often as they are told. */
function simulatePublishers() {
  const versions = new Map<string, number>();
  const versionOf = (name: string): number => versions.get(name) ?? 0;
  let refused = 0;
  let oversized: Oversized[] = [];
  let epochs = 0;
  const of = (name: string): FleetParts['publisher'] => ({
    publish: async () => {
      if (refused > 0) {
        refused -= 1;
        throw new ApiError({ status: 409, reason: 'Conflict', message: 'boom' });
      }
      const version = versionOf(name) + 1;
      versions.set(name, version);
      return { epoch: 0, version, digest: `digest-${version}`, changed: true, oversized };
    },
    isAhead: ({ version }) => version > versionOf(name),
    startEpoch: async ({ epoch, version }) => {
      epochs += 1;
      const next = version + 1;
      versions.set(name, next);
      return { epoch: epoch + 1, version: next, digest: `digest-${next}`, changed: true, oversized };
    },
    repair: async () => ({ restored: 0 }),
    collect: async () => 0,
  });
  return {
    of,
    versionOf,
    epochs: () => epochs,
    refuse: (times: number) => {
      refused = times;
    },
    tooLarge: (...ids: string[]) => {
      oversized = ids.map((id) => ({ id, bytes: 300_000 }));
    },
  };
}

function simulatePods() {
  const rows = new Map<string, Row>();
  const listeners = new Map<string, () => void>();
  let isAsked = true;
  const table = (name: string): Acknowledgement[] => {
    const row = rows.get(name);
    if (row === undefined) return [];
    if (!isAsked) return [{ pod: POD, answer: undefined, atMs: undefined, reachable: undefined }];
    const said = row.version === undefined ? {} : { digest: `digest-${row.version}` };
    return [{ pod: POD, answer: { epoch: 0, entries: 0, skipped: [], ...said, ...row }, atMs: 0, reachable: true }];
  };
  return {
    acknowledgementsOf: (name: string, onChange: () => void): FleetParts['acknowledgements'] => {
      listeners.set(name, onChange);
      return {
        setPods: () => {},
        table: () => table(name),
        count: (digest) => ({
          ready: rows.get(name) === undefined ? 0 : 1,
          serving: table(name).filter(({ answer }) => answer?.digest === digest).length,
        }),
        close: async () => {},
      };
    },
    askLater: () => {
      isAsked = false;
    },
    answer: (given: Row, name = 'main') => {
      isAsked = true;
      rows.set(name, given);
      listeners.get(name)?.();
    },
  };
}
