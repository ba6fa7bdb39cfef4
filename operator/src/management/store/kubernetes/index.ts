/** The store of the management API in a cluster. docs/behaviour/management.md#what-it-writes-into-a-cluster */

export { createKubernetesStore, type KubernetesStore, type KubernetesStoreOptions } from './kubernetes-store.ts';
