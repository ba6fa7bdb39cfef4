/** What the program needs of its neighbours. */
import type { GatewayFleet, KindName } from '@gatehouse/crds/kinds';
import type { Acknowledgements, FleetIdentity, FleetPod, Publisher } from '../publish/index.ts';
import type { EventRecorder, KubeObject, StatusWriter } from '../runtime/index.ts';
import type { World } from '../translate/index.ts';

/** Whose a fleet is and whom it serves; see `workspacesServedBy` of the fleet controller. */
export interface Placement {
  readonly owner: 'organisation' | 'workspace' | undefined;
  readonly served: World['served'];
}

/** One GatewayFleet as the program sees it. */
export interface FleetPlace extends Placement {
  /** `namespace/name` */
  readonly key: string;
  readonly identity: FleetIdentity;
  readonly suspended: boolean;
  /** Its spec is not good and never was: it has no pods, and nothing is published to it. */
  readonly refused: boolean;
}

/** Gives the parts that a fleet needs; they are closed with it. */
export interface FleetParts {
  readonly publisher: Publisher;
  readonly acknowledgements: Acknowledgements;
  /** Watches what is published until the signal ends; never rejects. */
  watchPublished(onChange: () => void, signal: AbortSignal): Promise<void>;
}

export interface FleetPorts {
  createParts(identity: FleetIdentity, onChange: () => void): FleetParts;
  /** The pods of a fleet, as kubelets report them. */
  podsOf(fleet: FleetPlace): readonly FleetPod[];
}

export interface StatusPorts {
  readonly writer: Pick<StatusWriter, 'applyIfChanged'>;
  readonly events: Pick<EventRecorder, 'record'>;
  /** The object as the cache has it now. */
  live(kind: KindName, key: string): KubeObject | undefined;
  /** Members of the status beside conditions, by what a Kind keeps there. */
  extras(object: KubeObject): Readonly<Record<string, unknown>>;
}

/** A pod that does not run what is published, for the status of its fleet. */
export type LaggingPod = NonNullable<NonNullable<GatewayFleet['status']>['lagging']>[number];

/** An entry that the fleet does not serve, for its status. */
export type RejectedEntry = NonNullable<NonNullable<GatewayFleet['status']>['rejected']>[number];

export interface FleetCounts {
  readonly epoch: number;
  readonly version: number;
  readonly programmed: number;
  readonly lagging: readonly LaggingPod[];
  readonly rejected: readonly RejectedEntry[];
}
