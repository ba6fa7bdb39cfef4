/** The sources of Snapshots in a cluster; none of them needs the operator to serve. */
export { createKubernetesSource, type KubernetesSourceSettings } from './kubernetes/index.ts';
export { createSidecarSource, type SidecarSourceSettings } from './sidecar/index.ts';
export type { SnapshotSource, SourceLog, SourceOptions, SourceStatus } from './source.ts';
