/** Pods of gateways, as far as acknowledgements need them. */
import type { FleetPod } from '../publish/index.ts';
import type { KindRef, KubeObject } from '../runtime/index.ts';

interface ContainerPort {
  readonly name?: string | undefined;
  readonly containerPort: number;
}

export interface GatewayPod extends KubeObject {
  readonly spec?:
    | { readonly containers?: readonly { readonly ports?: readonly ContainerPort[] | undefined }[] }
    | undefined;
  readonly status?:
    | {
        readonly podIP?: string | undefined;
        readonly conditions?: readonly { readonly type: string; readonly status: string }[] | undefined;
      }
    | undefined;
}

export const PODS: KindRef<GatewayPod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/** Pods of every fleet. */
export const POD_SELECTOR = 'app.kubernetes.io/name=gatehouse-gateway,gatehouse.dev/fleet';

/** The port of `/internal/*`, by the name it has in the pods of a fleet. */
const ADMIN_PORT_NAME = 'admin';

/** What is kept of a pod: its specification is large and nobody's business here. */
export function slimPod({ apiVersion, kind, metadata, spec, status }: GatewayPod): GatewayPod {
  const containers = (spec?.containers ?? []).map(({ ports }) => ({ ports: ports ?? [] }));
  const { podIP, conditions } = status ?? {};
  return { apiVersion, kind, metadata, spec: { containers }, status: { podIP, conditions } };
}

export function toFleetPod({ metadata, spec, status }: GatewayPod): FleetPod {
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  const adminPort = ports.find(({ name }) => name === ADMIN_PORT_NAME)?.containerPort;
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    ip: status?.podIP ?? '',
    // A pod that is going finishes requests and takes no new ones: it holds up nobody.
    ready: isReady && typeof metadata.deletionTimestamp !== 'string',
    ...(adminPort === undefined ? {} : { adminPort }),
  };
}
