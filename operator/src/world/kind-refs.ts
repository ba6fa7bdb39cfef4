/** The resources of the API server that a world is made of. */
import { GROUP, KINDS, type KindName, VERSION } from '@gatehouse/crds/kinds';
import type { KindRef, KubeObject } from '../runtime/index.ts';
import type { ReferenceGrant, Weight } from '../translate/index.ts';

/** A resource of our group, not validated. */
export interface CustomObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: Readonly<Record<string, unknown>> | undefined;
  /** Of a resource whose spec is not kept. */
  readonly weight?: Weight;
}

export interface SecretObject extends KubeObject {
  readonly type?: string | undefined;
  /** base64 */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

export interface ReferenceGrantObject extends KubeObject {
  readonly spec?: Partial<ReferenceGrant> | undefined;
}

export const kindRefOf = (kind: KindName): KindRef<CustomObject> => ({
  group: GROUP,
  version: VERSION,
  kind,
  plural: KINDS[kind].plural,
  namespaced: KINDS[kind].scope === 'Namespaced',
});

export const NAMESPACES: KindRef = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

export const SECRETS: KindRef<SecretObject> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

export const SERVICE_ACCOUNTS: KindRef = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

export const REFERENCE_GRANTS: KindRef<ReferenceGrantObject> = {
  group: 'gateway.networking.k8s.io',
  version: 'v1beta1',
  kind: 'ReferenceGrant',
  plural: 'referencegrants',
  namespaced: true,
};

/** Kinds whose content need not stay in memory: it is fetched object by object where it is needed again. */
export const FETCHABLE_KINDS: ReadonlySet<KindName> = new Set<KindName>([
  'GatewayConfig',
  'Guardrail',
  'Integration',
  'IntegrationAccess',
  'Provider',
  'RateLimitPolicy',
  'UsageLimitPolicy',
  'VirtualKey',
]);
