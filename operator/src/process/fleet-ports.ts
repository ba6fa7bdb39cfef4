/** How the program reaches fleets: publishers, and the pods' own answers. */

import type { Place } from '@gatehouse/crds/snapshot';
import { ADMIN_TOKEN_KEY, adminSecretName, type FleetSettings, secretClaimant } from '../kinds/gateway-fleet/index.ts';
import type { FleetPorts } from '../program/index.ts';
import { createAcknowledgements, createPublisher, type FleetIdentity } from '../publish/index.ts';
import { type KubeClient, keyOf, type Log } from '../runtime/index.ts';
import { podsOf, toFleetPod } from './pods.ts';
import type { Stores } from './stores.ts';

export interface FleetPortsOptions {
  readonly client: KubeClient;
  readonly stores: Pick<Stores, 'pods' | 'secrets' | 'fleets'>;
  readonly settings: Pick<FleetSettings, 'fleetNamespaces'>;
  /** Of this leader, unlike any other's before. */
  readonly identity: string;
  readonly log: Log;
}

export function createFleetPorts({ client, stores, settings, identity, log }: FleetPortsOptions): FleetPorts {
  const { pods, secrets } = stores;
  const remembered = (fleet: FleetIdentity): Place | undefined => {
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
  return {
    podsOf: ({ key }) => podsOf(pods, key).map(toFleetPod),
    createParts: (fleet, onChange) => {
      const claimant = secretClaimant('acknowledgements', fleet, settings);
      secrets.want(claimant, new Set([adminSecret(fleet)]));
      const acknowledgements = createAcknowledgements({ token: () => tokenOf(fleet), onChange, log });
      return {
        publisher: createPublisher({ client, fleet, identity, remembered: () => remembered(fleet), log }),
        acknowledgements: {
          ...acknowledgements,
          close: async () => {
            secrets.want(claimant, new Set());
            await acknowledgements.close();
          },
        },
      };
    },
  };
}
