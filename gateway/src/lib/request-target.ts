/** Request targets in one spelling, before routing. */
import { err, ok, type Result } from '@gatehouse/crds';

/** Paths that are canonical as they stand, as nearly all are. */
const PLAIN = /^(?:\/[A-Za-z0-9_~:@-][A-Za-z0-9._~:@-]*)+\/?$/;
/** Unreserved characters of RFC 3986: equivalent encoded or not. */
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
/** Levels of nested encoding that are decoded: the gateway, the provider, and servers behind it. */
const MAX_ROUNDS = 4;

/**
 * The target with its path in one spelling: unreserved characters as they are, other escapes in upper case, no slash
 * twice. Errors: what is wrong with it.
 */
export function canonicalRequestTarget(target: string): Result<string, string> {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  if (PLAIN.test(path) || target === '/' || target === '*') return ok(target);
  if (!path.startsWith('/')) return err('the request target must be a path');
  if (/[\\#\s]|[^\x21-\x7e]/.test(path))
    return err('the path must have no backslash, no # and no unencoded characters');
  if (/%(?![0-9A-Fa-f]{2})/.test(path) || decoded(path) === undefined)
    return err('the path has an escape that is none');
  if (hasDotSegments(path)) return err('the path must have no . or .. segments, in any encoding');
  const plain = path.replaceAll(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded.toUpperCase();
  });
  return ok(plain.replaceAll(/\/{2,}/g, '/') + (mark < 0 ? '' : target.slice(mark)));
}

/**
 * Whether text in a path has a `.` or `..` segment for any reader: however often it is encoded, with either slash, or with
 * parameters after the dots.
 */
export function hasDotSegments(text: string): boolean {
  let read = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (DOT_SEGMENT.test(read)) return true;
    const next = decoded(read);
    if (next === undefined || next === read) return false;
    read = next;
  }
  return read.includes('%'); // still encoded: no legitimate path is
}

const DOT_SEGMENT = /(?:^|[/\\])\.{1,2}(?:[/\\;?#]|$)/;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
