import { readdir, readFile } from 'node:fs/promises';

/** What a process and its children use. */
export interface Usage {
  readonly rssMb: number;
  /** User and system time since the start, in steps of 10 ms. */
  readonly cpuMs: number;
}

/** Milliseconds of a tick in /proc: USER_HZ is 100 on Linux. */
export const USER_HZ_MS = 10;

/** Reads what a process and its children use now (proc(5)). */
export async function usageOf(pid: number): Promise<Usage> {
  const [own, children] = await Promise.all([readUsage(pid), childrenOf(pid)]);
  const others = await Promise.all(children.map(usageOf));
  return others.reduce((a, b) => ({ rssMb: a.rssMb + b.rssMb, cpuMs: a.cpuMs + b.cpuMs }), own);
}

/** CPU time of a process and all its descendants, those that have ended included, in ms. */
export async function treeCpuMs(pid: number): Promise<number> {
  try {
    const [stat, children] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), childrenOf(pid)]);
    const below = await Promise.all(children.map(treeCpuMs));
    return below.reduce((sum, ms) => sum + ms, parseTreeCpuMs(stat));
  } catch {
    return 0; // it has just ended; its parent has the time
  }
}

async function readUsage(pid: number): Promise<Usage> {
  const file = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, 'utf8');
  const [status, stat] = await Promise.all([file('status'), file('stat')]);
  return parseUsage(status, stat);
}

/** Every thread has children of its own. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8')));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Reads the texts of /proc/PID/status and /proc/PID/stat. */
export function parseUsage(status: string, stat: string): Usage {
  const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  const [user = 0, system = 0] = cpuFields(stat);
  return { rssMb: rssKb / 1024, cpuMs: (user + system) * USER_HZ_MS };
}

/** The process's own time and that of its ended children, in ms. */
export function parseTreeCpuMs(stat: string): number {
  return cpuFields(stat).reduce((sum, ticks) => sum + ticks, 0) * USER_HZ_MS;
}

/** utime, stime, cutime and cstime, in ticks. */
function cpuFields(stat: string): number[] {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold spaces
  return fields.slice(11, 15).map(Number);
}
