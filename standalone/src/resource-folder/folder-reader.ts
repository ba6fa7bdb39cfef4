/** Reads the files of a folder: a change is read once the file has settled, a removal later still. */
import { type FileSet, updateFiles } from './file-set.ts';
import { type FileStamp, type Listing, listFiles } from './listing.ts';
import type { FileProblem } from './problem.ts';
import { ORGANISATION_NAMESPACE } from './world-source.ts';

export interface FolderScan {
  readonly files: FileSet;
  /** Paths that cannot be read. */
  readonly problems: readonly FileProblem[];
  /** Every folder that was read. */
  readonly folders: readonly string[];
  /** When to scan again, in ms, because of a change that has not settled yet. */
  readonly againInMs: number | undefined;
}

export interface FolderReader {
  /** `nowMs` is of a monotonic clock; `written` files have been written whole and need not settle. Scans must not overlap. */
  scan(nowMs: number, written?: ReadonlySet<string>): Promise<FolderScan>;
}

/** How long a file must stay unchanged, in ms: longer than the pause of a program between two writes. */
const SETTLE_MS = 40;
/** The same for removed or empty files: many programs empty or remove a file before they write it again. */
const SETTLE_ABSENT_MS = 150;

const NONE: ReadonlySet<string> = new Set();

/** A change that has not settled, and when it was first seen. */
interface Pending {
  readonly signature: string | undefined;
  readonly sinceMs: number;
}

export function createFolderReader(roots: readonly string[]): FolderReader {
  let files: FileSet | undefined;
  let pending: ReadonlyMap<string, Pending> = new Map();
  return {
    scan: async (nowMs, written = NONE) => {
      const listing = await listFiles(roots);
      const settled =
        files === undefined
          ? { signatures: signaturesOf(listing), pending }
          : settle(listing, { files, pending, nowMs, written });
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
  readonly written: ReadonlySet<string>;
}

/** The signatures that apply now, and the changes that have not settled. */
function settle(listing: Listing, { files, pending, nowMs, written }: Settling) {
  const signatures = new Map<string, string>();
  const left = new Map<string, Pending>();
  for (const path of [...new Set([...files.keys(), ...listing.files.keys()])].sort()) {
    const known = files.get(path)?.signature;
    const stamp = listing.files.get(path);
    const seen = isHidden(path, listing) ? known : stamp?.signature;
    const change = changeOf({ known, seen, last: pending.get(path), nowMs });
    const rests = change === undefined || written.has(path) || nowMs - change.sinceMs >= restOf(stamp);
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

/** Whether a file is in a folder that cannot be read: then it is not treated as removed. */
function isHidden(path: string, { unreadable }: Listing): boolean {
  for (const hidden of unreadable.keys()) if (path === hidden || path.startsWith(`${hidden}/`)) return true;
  return false;
}
