export type { ClusterSource } from './access.ts';
export { ApiError, hasReason, isExpired, type StatusCause } from './api-error.ts';
export {
  type ApplyOptions,
  type CallOptions,
  type CallReport,
  createKubeClient,
  type DeleteOptions,
  type KubeClient,
  type KubeClientOptions,
  type ListOptions,
  type ObjectList,
  type Selection,
  type Verb,
  type WatchOptions,
  type WriteOptions,
} from './client.ts';
export { EVENTS, type KubeEvent, LEASES, type Lease, type MicroTime, toMicroTime } from './known-kinds.ts';
export {
  apiVersionOf,
  type KindRef,
  type KubeObject,
  keyOf,
  nameOf,
  namespaceOf,
  type ObjectKey,
  type ObjectMeta,
  type ObjectName,
  type OwnerReference,
  resourceName,
  type SpecWrite,
} from './objects.ts';
export { type AccessQuestion, isAllowedTo } from './own-access.ts';
export type { WatchEvent, WatchStream } from './watch.ts';
