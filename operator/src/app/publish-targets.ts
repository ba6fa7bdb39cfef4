/** The fleets to publish to, and the workspaces that each serves. */
import { isObject } from '@gatehouse/crds';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import {
  type FleetAccess,
  type FleetSettings,
  fleetIssues,
  readFleet,
  workspacesServedBy,
} from '../kinds/gateway-fleet/index.ts';
import type { PublishTarget } from '../publish/fleets/index.ts';
import type { FleetIdentity } from '../publish/index.ts';
import type { QuotaStanding, World, WorldObject } from '../translate/index.ts';

export interface PublishTargetsOptions {
  readonly settings: Pick<FleetSettings, 'fleetNamespaces'>;
  /** Whether pods have been made for the fleet, which needs a spec that was valid. */
  readonly isDeployed: (fleet: FleetIdentity) => boolean;
  readonly access: Pick<FleetAccess, 'stateOf'>;
}

/** The world, and the quota bounds that a fleet exceeds. */
export interface PublishTargetsInput {
  readonly world: World;
  readonly brokenBy: (fleet: { readonly key: string; readonly uid: string }) => QuotaStanding['broken'];
}

/**
 * A fleet that has become invalid keeps its last good spec. Where this process has never seen one, the parts of its spec that
 * select workspaces are used, which is all that publishing needs; without pods it is refused. A fleet beyond the quota of its
 * workspace is refused, and so is one where the operator may not run gateways, since each published fleet costs watches and
 * calls.
 */
export function createPublishTargets({
  settings,
  isDeployed,
  access,
}: PublishTargetsOptions): (ground: PublishTargetsInput) => PublishTarget[] {
  const read = new WeakMap<WorldObject, GatewayFleet | undefined>();
  let lastGood = new Map<string, GatewayFleet>();
  const goodOf = (object: WorldObject, key: string): GatewayFleet | undefined => {
    if (!read.has(object)) read.set(object, parse(object));
    return read.get(object) ?? lastGood.get(key);
  };
  const isRefused = ({ identity, isGood, owner, broken }: ReadFleet): boolean => {
    const deployed = isDeployed(identity);
    if (broken.includes('gatewayFleets') || !(deployed || (isGood && broken.length === 0))) return true;
    const state = access.stateOf(identity.namespace);
    return state === 'denied' || (state === 'unknown' && !deployed && owner !== 'organisation');
  };
  return ({ world, brokenBy }) => {
    const targets: PublishTarget[] = [];
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
      const isGood = known !== undefined && issues.length === 0 && fleetIssues(known, settings).length === 0;
      const refused = isRefused({ identity, isGood, owner, broken: brokenBy({ key, uid }) });
      targets.push({ key, identity, suspended: fleet.spec.suspend, refused, owner, served });
    });
    lastGood = good;
    return targets;
  };
}

interface ReadFleet extends Pick<PublishTarget, 'identity' | 'owner'> {
  readonly isGood: boolean;
  readonly broken: QuotaStanding['broken'];
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
