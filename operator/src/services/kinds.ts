/** What is cached of Services, EndpointSlices and pods. */
import { bareMetadata, type KindRef, type KubeObject } from '../runtime/index.ts';

export interface ServiceObject extends KubeObject {
  readonly spec?: {
    readonly type?: string | undefined;
    readonly ports?: readonly { readonly name?: string | undefined; readonly port: number }[] | undefined;
  };
}

export interface SliceObject extends KubeObject {
  readonly addressType?: string | undefined;
  readonly ports?: readonly { readonly name?: string | null; readonly port?: number | null }[] | null;
  readonly endpoints?:
    | readonly {
        readonly addresses?: readonly string[] | undefined;
        readonly conditions?: { readonly ready?: boolean | null } | undefined;
      }[]
    | null;
}

export interface PodObject extends KubeObject {
  readonly spec?: { readonly hostNetwork?: boolean | undefined };
  readonly status?: {
    readonly phase?: string | undefined;
    readonly podIPs?: readonly { readonly ip: string }[] | undefined;
  };
}

const kind = (group: string, name: string, plural: string) =>
  ({ group, version: 'v1', kind: name, plural, namespaced: true }) as const;

export const SERVICES: KindRef<ServiceObject> = kind('', 'Service', 'services');
export const ENDPOINT_SLICES: KindRef<SliceObject> = kind('discovery.k8s.io', 'EndpointSlice', 'endpointslices');
export const PODS: KindRef<PodObject> = kind('', 'Pod', 'pods');

/** Names the Service of a slice. */
export const SERVICE_LABEL = 'kubernetes.io/service-name';

const bare = ({ apiVersion, kind: name, metadata }: KubeObject): KubeObject => ({
  apiVersion,
  kind: name,
  metadata: bareMetadata(metadata, { labels: [SERVICE_LABEL] }),
});

export const slimService = (object: ServiceObject): ServiceObject => ({
  ...bare(object),
  spec: {
    type: object.spec?.type,
    ports: (object.spec?.ports ?? []).map((item) => ({ name: item.name, port: item.port })),
  },
});

export const slimSlice = (object: SliceObject): SliceObject => ({
  ...bare(object),
  addressType: object.addressType,
  ports: (object.ports ?? []).map(({ name, port }) => ({ name: name ?? null, port: port ?? null })),
  endpoints: (object.endpoints ?? []).map(({ addresses, conditions }) => ({
    addresses,
    conditions: { ready: conditions?.ready ?? null },
  })),
});

export const slimPod = (object: PodObject): PodObject => ({
  ...bare(object),
  spec: { hostNetwork: object.spec?.hostNetwork },
  status: { phase: object.status?.phase, podIPs: object.status?.podIPs },
});
