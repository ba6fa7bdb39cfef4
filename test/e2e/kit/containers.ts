/** Containers as processes of this machine: what ends them does not ask an API server. */
import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to the program of a pod; the default ends it like a crash, and the kubelet starts its container again. */
export function killProgram(program: string, pod: string, signal: NodeJS.Signals = 'SIGKILL'): void {
  process.kill(pidOf(program, pod), signal);
}

/** User and resident memory in MiB of the program of a pod. */
export function processOf(program: string, pod: string): { readonly user: number; readonly residentMebibytes: number } {
  const status = readFileSync(`/proc/${pidOf(program, pod)}/status`, 'utf8');
  const numberAt = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { user: numberAt('Uid'), residentMebibytes: numberAt('VmRSS') / 1024 };
}

function pidOf(program: string, pod: string): number {
  const pids = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => partsOf(pid, 'cmdline').includes(program))
    .filter((pid) => partsOf(pid, 'environ').includes(`GATEHOUSE_POD_NAME=${pod}`));
  if (pids.length !== 1) throw new Error(`Pod ${pod} has ${pids.length} processes that run ${program}`);
  return Number(pids[0]);
}

function partsOf(pid: string, file: 'cmdline' | 'environ'): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  } catch {
    return []; // it has ended meanwhile
  }
}
