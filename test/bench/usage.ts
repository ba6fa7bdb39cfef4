import { readdir, readFile } from 'node:fs/promises';
import { isObject } from '@gatehouse/crds';

/** What a process and its children use. */
export interface Usage {
  readonly rssMb: number;
  /** User and system time since the start, in steps of 10 ms. */
  readonly cpuMs: number;
}

const NONE: Usage = { rssMb: 0, cpuMs: 0 };

/** Milliseconds of a tick in /proc: USER_HZ is 100 on Linux. */
export const USER_HZ_MS = 10;

/** Reads what a process and its children use now (proc(5)); fails when the process itself has ended. */
export async function usageOf(pid: number, proc = '/proc'): Promise<Usage> {
  const own = await readUsage(pid, proc);
  const children = await childrenOf(pid, proc);
  const others = await Promise.all(children.map((child) => unlessEnded(usageOf(child, proc))));
  return others.reduce<Usage>((a, b = NONE) => ({ rssMb: a.rssMb + b.rssMb, cpuMs: a.cpuMs + b.cpuMs }), own);
}

/** CPU time of a process and all its descendants, those that have ended included, in ms; 0 when it has ended itself. */
export async function treeCpuMs(pid: number, proc = '/proc'): Promise<number> {
  const children = await childrenOf(pid, proc);
  const stat = await unlessEnded(readFile(`${proc}/${pid}/stat`, 'utf8'));
  const below = await Promise.all(children.map((child) => treeCpuMs(child, proc)));
  return below.reduce((sum, ms) => sum + ms, stat === undefined ? 0 : parseTreeCpuMs(stat));
}

async function readUsage(pid: number, proc: string): Promise<Usage> {
  const file = (name: string): Promise<string> => readFile(`${proc}/${pid}/${name}`, 'utf8');
  const [status, stat] = await Promise.all([file('status'), file('stat')]);
  return parseUsage(status, stat);
}

/** Every thread has children of its own. */
async function childrenOf(pid: number, proc: string): Promise<number[]> {
  const threads = (await unlessEnded(readdir(`${proc}/${pid}/task`))) ?? [];
  const read = (thread: string): Promise<string> => readFile(`${proc}/${pid}/task/${thread}/children`, 'utf8');
  const lists = await Promise.all(threads.map((thread) => unlessEnded(read(thread))));
  return lists.flatMap((list = '') => list.split(' ').filter(Boolean).map(Number));
}

/** Processes and threads end between the listing and the reading of /proc: the open fails then, or the read. */
async function unlessEnded<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isObject(error) && (error['code'] === 'ENOENT' || error['code'] === 'ESRCH')) return undefined;
    throw error;
  }
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
