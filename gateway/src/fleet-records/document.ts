/** Documents that sidecars send: texts of JSON, of which nothing is known yet. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CONTENT_SHAPE, type ContentKind } from '@gatehouse/crds/logs';
import { DEFAULT_JSON_LIMITS, JsonScan, type MemberSpan } from '../lib/json/index.ts';
import { MAX_CALL_BYTES } from './protocol.ts';

/** Bytes that are looked at in one turn of the event loop. */
const SLICE_BYTES = 256 * 1024;
/** A document has a handful of bodies, which may be escaped, and headers. */
const BODIES = 8;
const HEADERS_BYTES: number = 256 * 1024;
const LIMITS = { ...DEFAULT_JSON_LIMITS, nodes: MAX_CALL_BYTES, stringBytes: MAX_CALL_BYTES };

/** A document, and each object in it that is known, has a handful of members. */
const MAX_MEMBERS = 32;

/** Looks at the documents of one call, and gives way to others between slices of their bytes. */
export interface DocumentCheck {
  /** Whether the text is a LogContent in JSON that its readers can take. */
  isDocument(text: string): Promise<boolean>;
}

/** `maxBodyBytes`: of each body that the fleet keeps. */
export function createDocumentCheck(maxBodyBytes: number): DocumentCheck {
  const maxCharacters = BODIES * maxBodyBytes + HEADERS_BYTES;
  let left = SLICE_BYTES;
  /** Undefined: it is no JSON, no object, or has too many members. */
  const membersOf = async (bytes: Buffer): Promise<readonly MemberSpan[] | undefined> => {
    const scan = new JsonScan(bytes, LIMITS, { paused: true, members: MAX_MEMBERS });
    let until = left;
    while (!scan.run(until)) {
      await nextTurn();
      left = SLICE_BYTES;
      until = scan.at + left;
    }
    left = Math.max(1, until - scan.at);
    return scan.problem === undefined && kindAt(bytes, 0) === 'object' ? scan.members : undefined;
  };
  const hasKinds = async (bytes: Buffer, kinds: ReadonlyMap<string, ContentKind>): Promise<boolean> => {
    const members = await membersOf(bytes);
    return members?.every(({ name, start }) => isOfKind(kindAt(bytes, start), kinds.get(name))) === true;
  };
  return {
    isDocument: async (text) => {
      if (!text.startsWith('{') || text.length > maxCharacters) return false;
      const bytes = Buffer.from(text);
      const members = await membersOf(bytes);
      if (members === undefined) return false;
      for (const { name, start, end } of members) {
        const kinds = CONTENT_SHAPE.get(name);
        if (kinds !== undefined && !(await hasKinds(bytes.subarray(start, end), kinds))) return false;
      }
      return true;
    },
  };
}

/** By the first byte of a value; others are of no kind that is asked for. */
const KINDS: ReadonlyMap<number, ContentKind> = new Map([
  ...signs('{', 'object'),
  ...signs('"', 'text'),
  ...signs('t', 'true'),
  ...signs('-0123456789', 'number'),
]);
const SPACES: ReadonlySet<number> = new Set(Buffer.from(' \t\n\r'));

function signs(text: string, kind: ContentKind): readonly (readonly [number, ContentKind])[] {
  return Array.from(Buffer.from(text), (sign) => [sign, kind] as const);
}

/** Of the value that begins there, in a text that was scanned. */
function kindAt(bytes: Buffer, start: number): ContentKind | undefined {
  let at = start;
  while (SPACES.has(bytes[at] ?? 0)) at += 1;
  return KINDS.get(bytes[at] ?? 0);
}

const isOfKind = (kind: ContentKind | undefined, wanted: ContentKind | undefined): boolean =>
  wanted === undefined || wanted === 'any' || kind === wanted;
