/** The fleet to which the sidecars of a profile pass on what needs credentials of the organisation. */
import { isObject } from '@gatehouse/crds';
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import { keyOf, type Store } from '../../runtime/index.ts';
import type { FleetAddress } from '../../translate/index.ts';
import type { FleetObject } from './kube-kinds.ts';
import { type FleetWorld, isOfOrganisation, workspacesServedBy } from './placement.ts';
import type { FleetSettings } from './settings.ts';
import { readFleet } from './steps.ts';

export type FleetOfSidecars =
  | { readonly kind: 'found'; readonly name: string; readonly address: FleetAddress }
  /** The profile names none. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'refused';
      readonly reason: 'RefNotFound' | 'RefNotPermitted' | 'Pending';
      readonly message: string;
    };

export interface FleetChoice {
  readonly fleets: Pick<Store<FleetObject>, 'get'>;
  readonly world: FleetWorld;
  readonly settings: Pick<FleetSettings, 'fleetNamespaces'>;
}

/**
 * The fleet that the profile names. Only fleets of the organisation have its credentials. The text is the same whether a fleet
 * does not exist or serves other workspaces.
 */
export function fleetOfSidecars(
  { metadata, spec: { fleetRef } }: SidecarProfile,
  workspace: string,
  choice: FleetChoice,
): FleetOfSidecars {
  if (fleetRef === undefined) return { kind: 'none' };
  const { name, namespace = metadata.namespace ?? '' } = fleetRef;
  const object = choice.fleets.get(keyOf({ namespace, name }));
  if (object === undefined || !serves(object, workspace, choice)) {
    const message = `spec.fleetRef: no GatewayFleet ${name} of the organisation in the namespace ${namespace} serves the workspace`;
    return { kind: 'refused', reason: 'RefNotFound', message };
  }
  const address = addressFrom(object);
  if (typeof address === 'object') return { kind: 'found', name: `${namespace}/${name}`, address };
  return address === 'unknown'
    ? { kind: 'refused', reason: 'Pending', message: `spec.fleetRef: the GatewayFleet ${name} has no address yet` }
    : {
        kind: 'refused',
        reason: 'RefNotPermitted',
        message: `spec.fleetRef: the GatewayFleet ${name} listens without TLS; give its listener a tlsSecretRef`,
      };
}

function serves(object: FleetObject, workspace: string, { world, settings }: FleetChoice): boolean {
  const fleet = readFleet(object);
  if (fleet.kind !== 'GatewayFleet' || !isOfOrganisation(object.metadata.namespace ?? '', settings)) return false;
  const { served } = workspacesServedBy(fleet, world, settings);
  return served === 'all' || served.has(workspace);
}

/** From the status, which every replica of the operator has. */
function addressFrom({ spec, status }: FleetObject): FleetAddress | 'unknown' | 'no-tls' {
  const { address, certificateAuthority: ca } = status ?? {};
  if (typeof address !== 'string') return 'unknown';
  if (!address.startsWith('https://')) return 'no-tls';
  const keepsRecords = isObject(spec) && spec['records'] !== undefined;
  return { url: address, ...(typeof ca === 'string' ? { ca } : {}), ...(keepsRecords ? { records: true } : {}) };
}
