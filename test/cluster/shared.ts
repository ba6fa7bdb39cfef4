/** One cluster for a whole test run: a global setup starts it, test files connect to it. */
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { type ControlPlaneAccess, type ControlPlaneDescriptor, connect } from './control-plane/access.ts';
import { startControlPlane } from './control-plane/control-plane.ts';
import { installCustomResources } from './custom-resources.ts';
import { connectNodes, type NodesAccess, type NodesDescriptor } from './nodes/access.ts';
import { startNodes } from './nodes/nodes.ts';
import { nodesUnavailable } from './nodes/requirements.ts';

declare module 'vitest' {
  interface ProvidedContext {
    controlPlane: ControlPlaneDescriptor;
    nodes: NodesDescriptor;
    /** Why there are no nodes; empty when there are. */
    withoutNodes: string;
  }
}

/** Two, so that traffic between nodes and spreading can be seen. */
const SHARED_NODES = 2;

/** The control plane of this test run, with our custom resources; disposing it ends our connections only. */
export const sharedControlPlane = (): ControlPlaneAccess => connect(inject('controlPlane'));

/** The nodes of this test run. */
export const sharedNodes = (controlPlane: ControlPlaneAccess): NodesAccess =>
  connectNodes(controlPlane, inject('nodes'));

/** Why this test run has no nodes, for `describe.skipIf`; undefined when it has. */
export const withoutNodes = (): string | undefined => inject('withoutNodes') || undefined;

const onProgress = (line: string): void => console.log(line);

/** Global setup of test runs that need an API server. */
export async function shareControlPlane(project: TestProject): Promise<() => Promise<void>> {
  const controlPlane = await startControlPlane({ onProgress });
  await installCustomResources(controlPlane);
  project.provide('controlPlane', toDescriptor(controlPlane));
  return async () => {
    await controlPlane[Symbol.asyncDispose]();
  };
}

/** Global setup of test runs that need pods. */
export async function shareNodes(project: TestProject): Promise<() => Promise<void>> {
  const reason = nodesUnavailable();
  project.provide('withoutNodes', reason ?? '');
  if (reason !== undefined) {
    if (process.env['CI'] === 'true') throw new Error(reason);
    console.log(`Not run: ${reason}`);
    return () => Promise.resolve();
  }
  const controlPlane = await startControlPlane({ forNodes: true, onProgress });
  const nodes = await startNodes(controlPlane, { nodes: SHARED_NODES, onProgress }).catch(async (error: unknown) => {
    await controlPlane[Symbol.asyncDispose]();
    throw error;
  });
  await installCustomResources(controlPlane);
  project.provide('controlPlane', toDescriptor(controlPlane));
  const { hostAddress, nodes: members, ctrPath } = nodes;
  project.provide('nodes', { hostAddress, nodes: members, ctrPath });
  return async () => {
    await controlPlane[Symbol.asyncDispose]();
  };
}

/** What can be sent to another process. */
const toDescriptor = ({
  folder,
  url,
  caPem,
  adminToken,
  kubeconfigPath,
  auditLog,
  kubectlPath,
}: ControlPlaneDescriptor) => ({
  ...{ folder, url, caPem, adminToken, kubeconfigPath, auditLog, kubectlPath },
});
