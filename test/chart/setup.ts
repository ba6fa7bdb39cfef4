import { ensurePrograms, PROGRAMS_OF_TIER } from '../cluster/index.ts';

/** Global setup: what the tests of the charts run is built first, since a cold build takes minutes. */
export async function setup(): Promise<void> {
  await ensurePrograms([...PROGRAMS_OF_TIER[1], 'helm', 'kubeconform', 'kustomize-controller', 'argocd'], {
    onProgress: (line) => console.log(line),
  });
}
