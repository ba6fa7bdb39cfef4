/** Calls of the file system that end at a step, as those of a process that is killed there. For tests. */
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

export interface InterruptedFiles extends AsyncDisposable {
  /**
   * Runs a task whose calls stop at this step: before it, or in the middle of a content. Gives how many steps it made when it came to its
   * end, and undefined when it was stopped; nothing of it happens afterwards.
   */
  until(step: number, task: () => Promise<unknown>): Promise<number | undefined>;
}

/** Syncs and closes are no steps: they change nothing that a killed process leaves. */
export function interruptFiles(): InterruptedFiles {
  const real = { ...files };
  const left: FileHandle[] = [];
  let stop = { at: Number.POSITIVE_INFINITY, steps: 0, reached: (): void => undefined };

  const step = async (half?: () => Promise<unknown>): Promise<void> => {
    stop.steps += 1;
    if (stop.steps !== stop.at) return;
    await half?.();
    stop.reached();
    await new Promise(() => undefined); // for ever
  };
  const stepping = (file: FileHandle): FileHandle => {
    left.push(file);
    const { chmod, writeFile } = file;
    return Object.assign(file, {
      chmod: async (mode: number) => {
        await step();
        return chmod.call(file, mode);
      },
      writeFile: async (text: string) => {
        await step(() => writeFile.call(file, text.slice(0, text.length / 2)));
        return writeFile.call(file, text);
      },
    });
  };
  for (const call of ['mkdir', 'link', 'rename', 'rm'] as const) {
    const own = real[call] as (...given: readonly unknown[]) => Promise<unknown>;
    Object.assign(files, {
      [call]: async (...given: readonly unknown[]) => {
        await step();
        return own(...given);
      },
    });
  }
  Object.assign(files, {
    open: async (path: string, flags: string, mode?: number): Promise<FileHandle> => {
      if (flags !== 'wx') return real.open(path, flags, mode);
      await step();
      return stepping(await real.open(path, flags, mode));
    },
  });
  syncBuiltinESMExports();
  return {
    until: async (at, task) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      stop = { at, steps: 0, reached: resolve };
      const ended = await Promise.race([task().then(() => true), promise.then(() => false)]);
      const { steps } = stop;
      stop = { at: Number.POSITIVE_INFINITY, steps: 0, reached: () => undefined };
      return ended ? steps : undefined;
    },
    [Symbol.asyncDispose]: async () => {
      Object.assign(files, real);
      syncBuiltinESMExports();
      for (const file of left) await file.close().catch(() => undefined); // most are closed
    },
  };
}
