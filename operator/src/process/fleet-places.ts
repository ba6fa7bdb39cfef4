/** The fleets of a world, and whom they serve. */
import { isObject } from '@gatehouse/crds';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { type FleetSettings, fleetIssues, readFleet, workspacesServedBy } from '../kinds/gateway-fleet/index.ts';
import type { FleetPlace } from '../program/index.ts';
import type { FleetIdentity } from '../publish/index.ts';
import type { World, WorldObject } from '../translate/index.ts';

export interface FleetPlacesOptions {
  readonly settings: Pick<FleetSettings, 'fleetNamespaces'>;
  /** Whether pods have been made for the fleet: its spec was valid once. */
  readonly isDeployed: (fleet: FleetIdentity) => boolean;
}

/**
 * A fleet that has become invalid goes on with the last spec that was good. Where this process has never seen one, the fleet
 * goes on with what its spec says of workspaces, which is all that decides about publishing; without pods it is refused.
 */
export function createFleetPlaces({ settings, isDeployed }: FleetPlacesOptions): (world: World) => FleetPlace[] {
  const read = new WeakMap<WorldObject, GatewayFleet | undefined>();
  let lastGood = new Map<string, GatewayFleet>();
  const goodOf = (object: WorldObject, key: string): GatewayFleet | undefined => {
    if (!read.has(object)) read.set(object, parse(object));
    return read.get(object) ?? lastGood.get(key);
  };
  return (world) => {
    const places: FleetPlace[] = [];
    const good = new Map<string, GatewayFleet>();
    world.resources.get('GatewayFleet')?.forEach((object, key) => {
      const { namespace = '', name, uid } = object.metadata;
      if (typeof uid !== 'string' || typeof object.metadata.deletionTimestamp === 'string') return;
      const identity = { namespace, name, uid };
      const known = goodOf(object, key);
      if (known !== undefined) good.set(key, known);
      const fleet = known ?? parse(withPlacementOnly(object));
      if (fleet === undefined) return;
      const { owner, served, issues } = workspacesServedBy(fleet, world, settings);
      const isGood = known !== undefined && issues.length === 0 && fleetIssues(known).length === 0;
      const refused = !isGood && !isDeployed(identity);
      places.push({ key, identity, suspended: fleet.spec.suspend, refused, owner, served });
    });
    lastGood = good;
    return places;
  };
}

function parse(object: WorldObject): GatewayFleet | undefined {
  const fleet = readFleet(object);
  return fleet.kind === 'GatewayFleet' ? fleet : undefined;
}

const PLACEMENT = ['workspaces', 'workspaceSelector', 'suspend'] as const;

function withPlacementOnly({ status: _, ...object }: WorldObject): WorldObject {
  const { spec } = object;
  const kept = isObject(spec) ? PLACEMENT.filter((field) => spec[field] !== undefined).map((f) => [f, spec[f]]) : [];
  return { ...object, spec: Object.fromEntries(kept) };
}
