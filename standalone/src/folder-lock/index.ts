/** One process at a time keeps its state in a folder. */
export { type FolderLock, type LockOptions, lockFolder } from './folder-lock.ts';
