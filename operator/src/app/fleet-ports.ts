/** Connects the publishing of fleets to the cluster: one publisher, watch and set of acknowledgements per fleet. */

import type { Revision } from '@gatehouse/crds/snapshot';
import { ADMIN_TOKEN_KEY, adminSecretName, type FleetSettings, secretClaimant } from '../kinds/gateway-fleet/index.ts';
import type { FleetPorts } from '../publish/fleets/index.ts';
import {
  createAcknowledgements,
  createPublishedWatch,
  createPublisher,
  DELETIONS_PER_SECOND,
  type FleetIdentity,
} from '../publish/index.ts';
import { createRate, type KubeClient, keyOf, type Log, systemClock } from '../runtime/index.ts';
import { createPodUsage, type UsageTracker } from '../usage/index.ts';
import { podsOf, toFleetPod } from './pods.ts';
import type { Stores } from './stores.ts';

export interface FleetPortsOptions {
  readonly client: KubeClient;
  readonly stores: Pick<Stores, 'pods' | 'secrets' | 'fleets'>;
  readonly settings: Pick<FleetSettings, 'fleetNamespaces'>;
  /** Unique for each time this process leads. */
  readonly identity: string;
  /** Takes what pods report of budgets. */
  readonly usage: Pick<UsageTracker, 'note' | 'totals'>;
  readonly log: Log;
}

export function createFleetPorts({ client, stores, settings, identity, usage, log }: FleetPortsOptions): FleetPorts {
  const { pods, secrets } = stores;
  const remembered = (fleet: FleetIdentity): Revision | undefined => {
    const object = stores.fleets.fleets.get(keyOf(fleet));
    const { snapshotEpoch: epoch = 0, snapshotVersion: version } = object?.status ?? {};
    const isTold = typeof epoch === 'number' && typeof version === 'number' && object?.metadata.uid === fleet.uid;
    return isTold ? { epoch, version } : undefined;
  };
  const adminSecret = ({ namespace, name }: FleetIdentity): string => keyOf({ namespace, name: adminSecretName(name) });
  const tokenOf = (fleet: FleetIdentity): string => {
    const encoded = secrets.store.get(adminSecret(fleet))?.data?.[ADMIN_TOKEN_KEY] ?? '';
    return Buffer.from(encoded, 'base64').toString('utf8');
  };
  const deletions = createRate({ perSecond: DELETIONS_PER_SECOND, burst: 1, clock: systemClock });
  const shared = { client, identity, deletions, log };
  return {
    podsOf: ({ key }) => podsOf(pods, key).map(toFleetPod),
    createParts: (fleet, onChange, placement) => {
      const claimant = secretClaimant('acknowledgements', fleet, settings);
      secrets.want(claimant, new Set([adminSecret(fleet)]));
      let onPublishedChange = (): void => {};
      const watch = createPublishedWatch({
        client,
        fleet,
        log,
        clock: systemClock,
        onChange: () => onPublishedChange(),
      });
      const token = () => tokenOf(fleet);
      const acknowledgements = createAcknowledgements({ token, onChange, log });
      const podUsage = createPodUsage({
        token,
        onRows: (rows) => usage.note(rows, placement()),
        totals: () => usage.totals(placement()),
        log,
      });
      return {
        publisher: createPublisher({ ...shared, fleet, lastKnown: () => remembered(fleet), watch }),
        watchPublished: async (listener, signal) => {
          onPublishedChange = listener;
          await watch.run(signal);
        },
        acknowledgements: {
          ...acknowledgements,
          setPods: (all) => {
            acknowledgements.setPods(all);
            podUsage.setPods(all);
          },
          close: async () => {
            secrets.want(claimant, new Set());
            await Promise.all([acknowledgements.close(), podUsage.close()]);
          },
        },
      };
    },
  };
}
