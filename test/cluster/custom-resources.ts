import { fileURLToPath } from 'node:url';
import { type ControlPlaneAccess, runKubectl } from './control-plane/access.ts';

const MANIFESTS = fileURLToPath(new URL('../../crds/manifests', import.meta.url));

/** Installs our CustomResourceDefinitions and waits until the API server serves them. */
export async function installCustomResources(controlPlane: ControlPlaneAccess): Promise<void> {
  await runKubectl(controlPlane, ['apply', '--server-side', '-f', MANIFESTS]);
  await runKubectl(controlPlane, ['wait', '--for=condition=Established', '--timeout=300s', '-f', MANIFESTS]);
}
