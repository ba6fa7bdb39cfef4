/** A real Kubernetes for tests: a control plane, nodes with real pods, and the one cluster that a test run shares. */
export { type BuildOptions, ensurePrograms, missingPrograms, type ProgramPaths, pathOf } from './build.ts';
export { type Collector, startCollector } from './collector.ts';
export {
  type ControlPlaneAccess,
  type ControlPlaneDescriptor,
  type KubectlOptions,
  type KubectlOutcome,
  runKubectl,
  type TokenOptions,
} from './control-plane/access.ts';
export { APPLY_PATCH, type ApiAnswer, type ApiClient, type ApiRequest, type Method } from './control-plane/api.ts';
export type { AuditEvent, AuditFilter } from './control-plane/audit.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane/control-plane.ts';
export type { Kubeconfig } from './control-plane/credentials.ts';
export { installCustomResources } from './custom-resources.ts';
export type { ContainerOptions, NodesAccess, NodesDescriptor } from './nodes/access.ts';
export { type Nodes, type NodesOptions, startNodes } from './nodes/nodes.ts';
export { nodesUnavailable } from './nodes/requirements.ts';
export { PROGRAMS_OF_TIER, type ProgramName, type Tier } from './programs.ts';
export { sharedControlPlane, sharedNodes, withoutNodes } from './shared.ts';
export { startVault, type Vault } from './vault.ts';
