import { hash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rmdir, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { err, ok, parseJson, type Result } from '@gatehouse/crds';
import { z } from 'zod';
import { startTimeOf } from './start-time.ts';

/** Release it at the end; a process that is killed leaves the file, and the next one takes it over. */
export interface FolderLock {
  release(): Promise<void>;
}

export interface LockOptions {
  readonly folder: string;
  readonly pid?: number;
  readonly host?: string;
  /** Unix time in ms. */
  readonly now?: () => number;
  /** What to do where another process has it. */
  readonly advice?: string;
}

const ADVICE = 'stop that process, or give this one another folder with --data';

const FILE = 'lock';
/** How often the holder touches the file, and after which silence a holder of another machine is taken for dead, in ms. */
const TOUCH_MS = 2_000;
const SILENT_MS = 15_000;
/** Processes that start at the same moment wait for each other, in ms. */
const MAX_TRIES = 100;
const RETRY_MS = 5;
const GUARD_DIGITS = 16;

const holder = z.object({
  pid: z.int().min(1),
  host: z.string(),
  /** When the process started; a number is given again to other processes. Absent where the system does not say. */
  startedAt: z.string().optional(),
});
type Holder = z.output<typeof holder>;

/** Makes this process the only one that keeps its state in the folder. Errors: which process does. */
export async function lockFolder(options: LockOptions): Promise<Result<FolderLock, string>> {
  const { folder, pid = process.pid, host = hostname(), now = Date.now, advice = ADVICE } = options;
  const path = join(folder, FILE);
  const own: Holder = { pid, host, startedAt: await startTimeOf(pid) };
  try {
    const created = await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (await create(path, own)) return ok(toLock(path, created === undefined ? undefined : folder));
      const text = await readLock(path);
      if (text === undefined) continue; // it has just been released
      const found = holderOf(text);
      if (found !== undefined && (await isAlive(found, { path, host, now })))
        return err(`${refusal(folder, found)}: ${advice}`);
      await takeAway(path, text, now);
    }
    return err(`other processes are starting with the data folder ${resolve(folder)}: try again`);
  } catch {
    return ok({ release: async () => undefined }); // nothing can be kept in a folder that cannot be written
  }
}

function refusal(folder: string, { pid, host }: Holder): string {
  const where = host === hostname() ? '' : ` on ${host}`;
  return `the data folder ${resolve(folder)} belongs to process ${pid}${where}, which keeps budgets there`;
}

/** False: there is a file already. It appears with its content. */
async function create(path: string, own: Holder): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(own)}\n`);
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

/** Undefined: there is no file. */
async function readLock(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Undefined: the file is of nobody. */
function holderOf(text: string): Holder | undefined {
  try {
    return holder.safeParse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}

/** Of processes elsewhere only the time of the file is known. */
async function isAlive(
  { pid, host, startedAt }: Holder,
  here: { readonly path: string; readonly host: string; readonly now: () => number },
): Promise<boolean> {
  if (host === here.host) return isRunning(pid) && startedAt === (await startTimeOf(pid));
  const touchedMs = await stat(here.path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return here.now() - touchedMs < SILENT_MS;
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM'); // it runs as another user
  }
}

/**
 * Removes the file of a dead holder, if it is still there. Of all processes that have found it, one at a time may: a folder is the guard,
 * so that nobody removes the file that another one has made meanwhile.
 */
async function takeAway(path: string, dead: string, now: () => number): Promise<void> {
  const guard = `${path}.${hash('sha256', dead).slice(0, GUARD_DIGITS)}`;
  try {
    await mkdir(guard);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    await removeLeft(guard, now);
    await setTimeout(RETRY_MS);
    return;
  }
  try {
    if ((await readLock(path)) === dead) await unlink(path);
  } finally {
    await rmdir(guard).catch(() => undefined);
  }
}

/** Removes the guard of a process that was killed while it had it. */
async function removeLeft(guard: string, now: () => number): Promise<void> {
  const madeMs = await stat(guard).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
  if (now() - madeMs > SILENT_MS) await rmdir(guard).catch(() => undefined);
}

function toLock(path: string, created: string | undefined): FolderLock {
  const timer = setInterval(() => {
    const time = new Date();
    utimes(path, time, time).catch(() => undefined); // a folder that was taken away
  }, TOUCH_MS).unref();
  return {
    release: async () => {
      clearInterval(timer);
      await unlink(path).catch(() => undefined);
      if (created !== undefined) await rmdir(created).catch(() => undefined); // nothing was kept there
    },
  };
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
