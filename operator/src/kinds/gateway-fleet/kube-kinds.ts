/** The Kinds of Kubernetes that a fleet consists of, typed as far as the controller reads them. */
import { GROUP, VERSION } from '@gatehouse/crds/kinds';
import type { KindRef, KubeObject } from '../../runtime/index.ts';

/** A desired object. */
export type Manifest = KubeObject & Readonly<Record<string, unknown>>;

/** A fleet as it is on the API server; `parseResource` validates it. */
export interface FleetObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: Readonly<Record<string, unknown>> | undefined;
}

export interface Deployment extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: unknown } | undefined;
  readonly status?:
    | {
        readonly observedGeneration?: number;
        readonly replicas?: number;
        readonly updatedReplicas?: number;
        readonly readyReplicas?: number;
        readonly availableReplicas?: number;
        readonly conditions?: readonly {
          readonly type: string;
          readonly status: string;
          readonly reason?: string;
          readonly message?: string;
        }[];
      }
    | undefined;
}

export interface Service extends KubeObject {
  readonly spec?: { readonly type?: string; readonly loadBalancerClass?: string } | undefined;
}

export interface RoleBinding extends KubeObject {
  readonly roleRef?: unknown;
}

export interface SecretObject extends KubeObject {
  /** base64 */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

const namespaced = { namespaced: true } as const;

export const FLEETS: KindRef<FleetObject> = {
  ...namespaced,
  ...{ group: GROUP, version: VERSION, kind: 'GatewayFleet', plural: 'gatewayfleets' },
};
export const DEPLOYMENTS: KindRef<Deployment> = {
  ...namespaced,
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' },
};
export const SERVICES: KindRef<Service> = {
  ...namespaced,
  ...{ group: '', version: 'v1', kind: 'Service', plural: 'services' },
};
export const SERVICE_ACCOUNTS: KindRef = {
  ...namespaced,
  ...{ group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts' },
};
export const ROLE_BINDINGS: KindRef<RoleBinding> = {
  ...namespaced,
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding', plural: 'rolebindings' },
};
export const AUTOSCALERS: KindRef = {
  ...namespaced,
  ...{ group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler', plural: 'horizontalpodautoscalers' },
};
export const DISRUPTION_BUDGETS: KindRef = {
  ...namespaced,
  ...{ group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets' },
};
export const NETWORK_POLICIES: KindRef = {
  ...namespaced,
  ...{ group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy', plural: 'networkpolicies' },
};
export const SECRETS: KindRef<SecretObject> = {
  ...namespaced,
  ...{ group: '', version: 'v1', kind: 'Secret', plural: 'secrets' },
};

export const CONFIG_MAPS: KindRef = {
  ...namespaced,
  ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
};

/** The Kinds of children in the order of application: pods need their account, role and Secret first. */
export const CHILD_KINDS = [
  SERVICE_ACCOUNTS,
  ROLE_BINDINGS,
  NETWORK_POLICIES,
  DISRUPTION_BUDGETS,
  SERVICES,
  DEPLOYMENTS,
  AUTOSCALERS,
] as const;
