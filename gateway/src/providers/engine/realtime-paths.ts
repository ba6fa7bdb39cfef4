/** Paths that open realtime sessions outside of WebSockets, or give secrets for them, at any upstream. */

const API = /^realtime(?:api)?$/;
const BELOW: ReadonlySet<string> = new Set([
  ...['calls', 'client_secrets', 'sessions', 'transcription_sessions', 'translations'],
]);
/** Levels of nested encoding: the gateway, the provider, and servers behind it. */
const MAX_ROUNDS = 4;

/**
 * Whether some reader may take the path for one of these: however often it is encoded, with either slash, in any case, with parameters, or
 * for the API itself, which took offers once. Without its query.
 */
export function opensRealtimeSession(path: string): boolean {
  const read = decoded(path);
  if (read === undefined) return true;
  const segments = read
    .toLowerCase()
    .replace(/[?#].*$/s, '')
    .split(/[/\\]/)
    .map((segment) => segment.replace(/;.*$/s, '').replaceAll(/[^\x21-\x7e]/g, ''))
    .filter((segment) => segment !== '');
  return segments.some((segment, i) => {
    const next = segments[i + 1];
    return API.test(segment) && (next === undefined || BELOW.has(next));
  });
}

/** Undefined: it is encoded more often than paths are. */
function decoded(path: string): string | undefined {
  let read = path;
  for (let round = 0; round <= MAX_ROUNDS; round += 1) {
    const next = read.replaceAll(/%[0-9a-f]{2}/gi, (escaped) =>
      String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
    );
    if (next === read) return read;
    read = next;
  }
  return undefined;
}
