import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process, distinct from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the unit of the system. */
  readonly startedAt: string;
}

/** Who we are. */
export function ourIdentity(): ProcessIdentity {
  const identity = identityOf(process.pid);
  if (identity === undefined) throw new Error('This system does not say when a process started');
  return identity;
}

/** The process that has this number now; undefined when there is none. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startTicks(pid) : startDate(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export const isAlive = ({ pid, startedAt }: ProcessIdentity): boolean => identityOf(pid)?.startedAt === startedAt;

function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold anything
    const [state] = fields;
    return state === 'Z' || state === 'X' ? undefined : fields[19]; // field 22 of proc_pid_stat(5)
  } catch {
    return undefined;
  }
}

const startDate = (pid: number): string | undefined =>
  spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim() || undefined;
