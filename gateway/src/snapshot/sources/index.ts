/** The sources of Snapshots in a cluster; all of them keep serving without the operator. */
export { createKubernetesSource, type KubernetesSourceSettings } from './kubernetes/index.ts';
export { createSidecarSource, type SidecarSourceSettings } from './sidecar/index.ts';
export type { SnapshotSource, SourceLog, SourceOptions, SourceStatus } from './source.ts';
