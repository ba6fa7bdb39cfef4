import type { GatewayFleet } from '@gatehouse/crds/kinds';
import type { Cloud } from '@gatehouse/crds/providers';
import type { Applier, KubeClient, KubeObject, NamedWatches, Store } from '../../runtime/index.ts';
import type { QuotaStanding } from '../../translate/index.ts';
import type { FleetAccess } from './fleet-access.ts';
import type { Deployment, FleetObject, SecretObject } from './kube-kinds.ts';
import type { FleetWorld } from './placement.ts';
import type { FleetSettings } from './settings.ts';

/** A pod that does not serve the published Snapshot, as in the status of its fleet. */
export type LaggingPod = NonNullable<NonNullable<GatewayFleet['status']>['lagging']>[number];

/** An entry of the Snapshot that the fleet does not serve, as in its status. */
export type RejectedEntry = NonNullable<NonNullable<GatewayFleet['status']>['rejected']>[number];

/** Where ready pods that have answered count limits; see publish/fleets. */
export interface CountedLimits {
  readonly ready: number;
  readonly shared: number;
  readonly refused: number;
  readonly alone: number;
  readonly reasons: readonly string[];
  readonly stores: readonly string[];
}

/** What the pods of a fleet with a published Snapshot serve. */
export interface Acknowledged {
  /** Of the published Snapshot. */
  readonly epoch: number;
  readonly version: number;
  /** Ready pods that serve it. */
  readonly programmed: number;
  readonly lagging: readonly LaggingPod[];
  readonly rejected?: readonly RejectedEntry[] | undefined;
  readonly limits?: CountedLimits | undefined;
}

/** Everything the controller watches. */
export interface FleetStores {
  /** `secret`: fleets by the keys of the Secrets they need. */
  readonly fleets: Store<FleetObject, 'secret'>;
  readonly deployments: Store<Deployment>;
  /** By Kind, the Deployments too. */
  readonly children: ReadonlyMap<string, Store<KubeObject>>;
}

export interface Ports {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'apply' | 'mergePatch' | 'delete'>;
  readonly stores: FleetStores;
  readonly secrets: Pick<NamedWatches<SecretObject>, 'store' | 'want' | 'isKnown' | 'isDenied' | 'settled'>;
  readonly applier: Applier;
  readonly settings: FleetSettings;
  readonly world: () => FleetWorld;
  readonly access: Pick<FleetAccess, 'stateOf' | 'ask'>;
  /** Whether the fleet is within the quota of its namespace; undefined: not weighed yet. */
  readonly standingOf: (fleet: GatewayFleet) => QuotaStanding | undefined;
  /** Clouds whose identity published entries use. */
  readonly cloudsInUse: () => readonly Cloud[];
  readonly acknowledged: (fleet: GatewayFleet) => Acknowledged | undefined;
  /** Reasons that keep pods from starting, e.g. `ImagePullBackOff`; each once, sorted. */
  readonly podTroubles: (fleet: GatewayFleet) => readonly string[];
}

/** One run for a fleet with a valid schema. */
export interface FleetRun {
  readonly fleet: GatewayFleet;
  readonly ports: Ports;
  readonly signal: AbortSignal;
}
