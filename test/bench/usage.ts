import { readFile } from 'node:fs/promises';

/** What a process and its children use. */
export interface Usage {
  readonly rssMb: number;
  /** User and system time since the start, in steps of 10 ms. */
  readonly cpuMs: number;
}

/** Milliseconds of a tick in /proc/PID/stat: USER_HZ is 100 on Linux. */
const TICK_MS = 10;

/** Reads what a process and its children use now (proc(5)). */
export async function usageOf(pid: number): Promise<Usage> {
  const file = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, 'utf8');
  const [status, stat, children] = await Promise.all([file('status'), file('stat'), file(`task/${pid}/children`)]);
  const own = parseUsage(status, stat);
  const others = await Promise.all(
    children
      .split(' ')
      .filter(Boolean)
      .map((child) => usageOf(Number(child))),
  );
  return others.reduce((a, b) => ({ rssMb: a.rssMb + b.rssMb, cpuMs: a.cpuMs + b.cpuMs }), own);
}

/** Reads the texts of /proc/PID/status and /proc/PID/stat. */
export function parseUsage(status: string, stat: string): Usage {
  const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold spaces
  return { rssMb: rssKb / 1024, cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
}
