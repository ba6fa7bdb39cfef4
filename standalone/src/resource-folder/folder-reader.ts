/** Follows the files of a folder: takes a change once the file has come to rest, and nothing for a deletion too soon. */
import { type FileSet, updateFiles } from './file-set.ts';
import { type FileStamp, type Listing, listFiles } from './listing.ts';
import type { FileProblem } from './problem.ts';
import { ORGANISATION_NAMESPACE } from './world-source.ts';

export interface FolderScan {
  readonly files: FileSet;
  /** What cannot be looked at. */
  readonly problems: readonly FileProblem[];
  /** Every folder that was looked into. */
  readonly folders: readonly string[];
  /** When to look again because a change has been seen and not yet taken, in ms. */
  readonly againInMs: number | undefined;
}

export interface FolderReader {
  /** Times are ms of one clock that never goes back. Looks do not overlap. */
  scan(nowMs: number): Promise<FolderScan>;
}

/** How long a file must stay the same: longer than the pause of a program between two writes, in ms. */
const SETTLE_MS = 40;
/** The same for files that are gone or empty: many programs empty a file, or remove it, before they write it anew. */
const SETTLE_ABSENT_MS = 150;

/** A change that has been seen, and since when. */
interface Pending {
  readonly signature: string | undefined;
  readonly sinceMs: number;
}

export function createFolderReader(roots: readonly string[]): FolderReader {
  let files: FileSet | undefined;
  let pending: ReadonlyMap<string, Pending> = new Map();
  return {
    scan: async (nowMs) => {
      const listing = await listFiles(roots);
      const settled =
        files === undefined
          ? { signatures: signaturesOf(listing), pending }
          : settle(listing, { files, pending, nowMs });
      pending = settled.pending;
      files = await updateFiles(files ?? new Map(), settled.signatures, ORGANISATION_NAMESPACE);
      return {
        files,
        problems: [...listing.unreadable].map(([file, code]) => ({
          file,
          line: 1,
          column: 1,
          message: `cannot be read (${code})`,
        })),
        folders: listing.folders,
        againInMs: pending.size === 0 ? undefined : SETTLE_MS,
      };
    },
  };
}

const signaturesOf = ({ files }: Listing): ReadonlyMap<string, string> =>
  new Map([...files].map(([path, { signature }]) => [path, signature]));

interface Settling {
  readonly files: FileSet;
  readonly pending: ReadonlyMap<string, Pending>;
  readonly nowMs: number;
}

/** The signatures to go by now, and the changes that are left for later. */
function settle(listing: Listing, { files, pending, nowMs }: Settling) {
  const signatures = new Map<string, string>();
  const left = new Map<string, Pending>();
  for (const path of [...new Set([...files.keys(), ...listing.files.keys()])].sort()) {
    const known = files.get(path)?.signature;
    const stamp = listing.files.get(path);
    const seen = isHidden(path, listing) ? known : stamp?.signature;
    const change = changeOf({ known, seen, last: pending.get(path), nowMs });
    const rests = change === undefined || nowMs - change.sinceMs >= restOf(stamp);
    if (!rests) left.set(path, change);
    const signature = rests ? seen : known;
    if (signature !== undefined) signatures.set(path, signature);
  }
  return { signatures, pending: left };
}

interface Seen {
  readonly known: string | undefined;
  readonly seen: string | undefined;
  readonly last: Pending | undefined;
  readonly nowMs: number;
}

function changeOf({ known, seen, last, nowMs }: Seen): Pending | undefined {
  if (seen === known) return undefined;
  return last !== undefined && last.signature === seen ? last : { signature: seen, sinceMs: nowMs };
}

const restOf = (stamp: FileStamp | undefined): number =>
  stamp === undefined || stamp.bytes === 0 ? SETTLE_ABSENT_MS : SETTLE_MS;

/** A folder that cannot be read says nothing about the files in it. */
function isHidden(path: string, { unreadable }: Listing): boolean {
  for (const hidden of unreadable.keys()) if (path === hidden || path.startsWith(`${hidden}/`)) return true;
  return false;
}
