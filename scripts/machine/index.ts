/** The machine that builds and tests: commands, locks between processes, and the folder for what is kept. */
export { cacheFolder } from './cache-folder.ts';
export { withLock } from './lock.ts';
export { type CaptureOptions, type CommandResult, capture, run } from './run.ts';
