/** The ports of fleet publishing, and the types of what it takes and reports. */
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import type { World } from '../../translate/index.ts';
import type { Acknowledgements, FleetIdentity, FleetPod, Publisher } from '../index.ts';
import type { CountedLimits } from './counted-limits.ts';

/** The owner of a fleet and the workspaces it serves; see `workspacesServedBy` in kinds/gateway-fleet. */
export interface Placement {
  readonly owner: 'organisation' | 'workspace' | undefined;
  readonly served: World['served'];
}

/** One GatewayFleet to publish to. */
export interface PublishTarget extends Placement {
  /** `namespace/name` */
  readonly key: string;
  readonly identity: FleetIdentity;
  readonly suspended: boolean;
  /** Its spec is not valid and never was: it has no pods, and nothing is published to it. */
  readonly refused: boolean;
}

/** The connections of one fleet; they are closed with it. */
export interface FleetParts {
  readonly publisher: Publisher;
  readonly acknowledgements: Acknowledgements;
  /** Watches the published objects until the signal ends; never rejects. */
  watchPublished(onChange: () => void, signal: AbortSignal): Promise<void>;
}

export interface FleetPorts {
  /** `placement` returns the one that the fleet has at that time. */
  createParts(identity: FleetIdentity, onChange: () => void, placement: () => Placement): FleetParts;
  /** The pods of a fleet. */
  podsOf(fleet: PublishTarget): readonly FleetPod[];
}

/** A pod that does not serve what is published, for the status of its fleet. */
export type LaggingPod = NonNullable<NonNullable<GatewayFleet['status']>['lagging']>[number];

/** An entry that the fleet does not serve, for its status. */
export type RejectedEntry = NonNullable<NonNullable<GatewayFleet['status']>['rejected']>[number];

export interface FleetCounts {
  readonly epoch: number;
  readonly version: number;
  readonly programmed: number;
  readonly lagging: readonly LaggingPod[];
  readonly rejected: readonly RejectedEntry[];
  readonly limits: CountedLimits;
}
