import { fileURLToPath } from 'node:url';
import type { ControlPlaneAccess } from './control-plane/access.ts';

const MANIFESTS = fileURLToPath(new URL('../../crds/manifests', import.meta.url));

/** Installs our CustomResourceDefinitions and waits until the API server serves them. */
export async function installCustomResources(controlPlane: ControlPlaneAccess): Promise<void> {
  await must(controlPlane, ['apply', '--server-side', '-f', MANIFESTS]);
  await must(controlPlane, ['wait', '--for=condition=Established', '--timeout=30s', '-f', MANIFESTS]);
}

async function must(controlPlane: ControlPlaneAccess, args: readonly string[]): Promise<void> {
  const { code, stderr } = await controlPlane.kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args[0]}: ${stderr}`);
}
