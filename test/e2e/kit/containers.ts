/** Containers as processes of this machine: what ends them does not ask an API server. */
import { readdirSync, readFileSync } from 'node:fs';

/** Kills the program of a pod like a crash; the kubelet starts its container again. */
export function killProgram(program: string, pod: string): void {
  const pids = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => partsOf(pid, 'cmdline').includes(program))
    .filter((pid) => partsOf(pid, 'environ').includes(`GATEHOUSE_POD_NAME=${pod}`));
  if (pids.length !== 1) throw new Error(`Pod ${pod} has ${pids.length} processes that run ${program}`);
  process.kill(Number(pids[0]), 'SIGKILL');
}

function partsOf(pid: string, file: 'cmdline' | 'environ'): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  } catch {
    return []; // it has ended meanwhile
  }
}
