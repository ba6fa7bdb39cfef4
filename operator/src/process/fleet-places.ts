/** The fleets of a world, and whom they serve. */
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { type FleetSettings, readFleet, workspacesServedBy } from '../kinds/gateway-fleet/index.ts';
import type { FleetPlace } from '../program/index.ts';
import type { World, WorldObject } from '../translate/index.ts';

/** A fleet that has become invalid goes on with the last spec that was good, as long as this process remembers one. */
export function createFleetPlaces(settings: Pick<FleetSettings, 'fleetNamespaces'>): (world: World) => FleetPlace[] {
  const read = new WeakMap<WorldObject, GatewayFleet | undefined>();
  let lastGood = new Map<string, GatewayFleet>();
  const fleetOf = (object: WorldObject, key: string): GatewayFleet | undefined => {
    if (!read.has(object)) {
      const parsed = readFleet(object);
      read.set(object, parsed.kind === 'GatewayFleet' ? parsed : undefined);
    }
    return read.get(object) ?? lastGood.get(key);
  };
  return (world) => {
    const places: FleetPlace[] = [];
    const good = new Map<string, GatewayFleet>();
    world.resources.get('GatewayFleet')?.forEach((object, key) => {
      const fleet = fleetOf(object, key);
      const { uid } = object.metadata;
      if (fleet === undefined || typeof uid !== 'string' || typeof object.metadata.deletionTimestamp === 'string')
        return;
      good.set(key, fleet);
      const { namespace = '', name } = object.metadata;
      const { owner, served } = workspacesServedBy(fleet, world, settings);
      places.push({ key, identity: { namespace, name, uid }, suspended: fleet.spec.suspend, owner, served });
    });
    lastGood = good;
    return places;
  };
}
