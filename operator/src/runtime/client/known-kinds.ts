import type { KindRef, KubeObject } from './objects.ts';

/** RFC 3339 with microseconds, as Leases and Events have it. */
export type MicroTime = string;

/** A MicroTime from milliseconds since 1970. */
export const toMicroTime = (wallMs: number): MicroTime => `${new Date(wallMs).toISOString().slice(0, 23)}000Z`;

export interface Lease extends KubeObject {
  readonly spec?:
    | {
        readonly holderIdentity?: string | null | undefined;
        readonly leaseDurationSeconds?: number | undefined;
        readonly acquireTime?: MicroTime | undefined;
        readonly renewTime?: MicroTime | undefined;
        readonly leaseTransitions?: number | undefined;
      }
    | undefined;
}

export const LEASES: KindRef<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

export interface KubeEvent extends KubeObject {
  readonly eventTime: MicroTime;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  readonly note: string;
  readonly regarding: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly uid?: string | undefined;
  };
  readonly series?: { readonly count: number; readonly lastObservedTime: MicroTime } | undefined;
}

export const EVENTS: KindRef<KubeEvent> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};
