import { readFile } from 'node:fs/promises';

/** Of the fields after the name, which may contain anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html. */
const [STATE, START_TIME] = [0, 19];
/** It has ended, and its parent has not asked how: in containers without an init process that may last. */
const ZOMBIE = 'Z';

/** When a process started, as a text that differs from boot to boot. Undefined where the system does not say, and for no process that runs. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  try {
    const [line, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const ticks = fields[START_TIME];
    return ticks === undefined || fields[STATE] === ZOMBIE ? undefined : `${boot.trim()}/${ticks}`;
  } catch {
    return undefined;
  }
}
