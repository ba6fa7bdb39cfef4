/** What pods wrote, printed when a scenario fails: read from the files of the kubelets, so that no API server is needed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const OURS = /^(gatehouse-|team-)/;
const LAST_LINES = 12;
const MAX_LINE_CHARACTERS = 400;

/** Prints the end of each log of each container in our namespaces; `folder` is that of the control plane. */
export function printPodLogs(folder: string): void {
  const roots = readdirSync(folder)
    .map((node) => join(folder, node, 'pod-logs'))
    .flatMap((root) => foldersIn(root).map((pod) => join(root, pod)))
    .filter((pod) => OURS.test(pod.slice(pod.lastIndexOf('/') + 1)));
  for (const pod of roots) {
    for (const path of readdirSync(pod, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.log'),
    )) {
      const lines = readFileSync(join(pod, path), 'utf8')
        .split('\n')
        .filter((line) => line !== '' && !line.includes('"msg":"Request finished"'))
        .slice(-LAST_LINES);
      const end = lines.map((line) => `  ${line.slice(0, MAX_LINE_CHARACTERS)}`).join('\n');
      console.log(`${pod.slice(pod.lastIndexOf('/') + 1)}/${path}:\n${end}`);
    }
  }
}

function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // no node, or none that ran a pod
  }
}
