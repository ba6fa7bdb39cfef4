/** Documents that sidecars send: texts of JSON, of which nothing is known yet. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DEFAULT_JSON_LIMITS, JsonScan } from '../lib/json/index.ts';
import { MAX_CALL_BYTES } from './protocol.ts';

/** Bytes that are looked at in one turn of the event loop. */
const SLICE_BYTES = 256 * 1024;
/** A document has a handful of bodies, which may be escaped, and headers. */
const BODIES = 8;
const HEADERS_BYTES: number = 256 * 1024;
const LIMITS = { ...DEFAULT_JSON_LIMITS, nodes: MAX_CALL_BYTES, stringBytes: MAX_CALL_BYTES };

/** Looks at the documents of one call, and gives way to others between slices of their bytes. */
export interface DocumentCheck {
  /** Whether the text is an object in JSON that its readers can take. */
  isDocument(text: string): Promise<boolean>;
}

/** `maxBodyBytes`: of each body that the fleet keeps. */
export function createDocumentCheck(maxBodyBytes: number): DocumentCheck {
  const maxCharacters = BODIES * maxBodyBytes + HEADERS_BYTES;
  let left = SLICE_BYTES;
  const scanned = async (bytes: Buffer): Promise<JsonScan> => {
    const scan = new JsonScan(bytes, LIMITS, { paused: true });
    let until = left;
    while (!scan.run(until)) {
      await nextTurn();
      left = SLICE_BYTES;
      until = scan.at + left;
    }
    left = Math.max(1, until - scan.at);
    return scan;
  };
  return {
    isDocument: async (text) => {
      if (!text.startsWith('{') || text.length > maxCharacters) return false;
      return (await scanned(Buffer.from(text))).problem === undefined;
    },
  };
}
