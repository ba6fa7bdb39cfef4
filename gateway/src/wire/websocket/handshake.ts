/** Opening a WebSocket. Source: RFC 6455, section 4. */
import { hash, randomBytes } from 'node:crypto';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = '13';
/** A token. Source: RFC 9110, section 5.6.2; the length is ours, with room for a credential. */
const PROTOCOL = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,4096}$/;
/** Sub-protocols of one request; clients of realtime APIs send up to four. */
const MAX_PROTOCOLS = 16;

interface HeaderReader {
  header(name: string): string | undefined;
}

/** Whether a request asks for a WebSocket, well or not. */
export const asksForWebSocket = ({ header }: HeaderReader): boolean =>
  listOf(header('upgrade')).some((name) => name.toLowerCase() === 'websocket');

/** What is wrong with the request of a client; undefined: nothing. */
export function handshakeProblem({
  header,
}: HeaderReader): { readonly param: string; readonly detail: string } | undefined {
  if (header('sec-websocket-version')?.trim() !== VERSION) {
    return { param: 'sec-websocket-version', detail: `sec-websocket-version must be ${VERSION}` };
  }
  if (!KEY.test(header('sec-websocket-key')?.trim() ?? '')) {
    return { param: 'sec-websocket-key', detail: 'sec-websocket-key must be 16 bytes in base64' };
  }
  const offered = listOf(header(PROTOCOL_HEADER));
  if (offered.length > MAX_PROTOCOLS || !offered.every((name) => PROTOCOL.test(name))) {
    return { param: PROTOCOL_HEADER, detail: `${PROTOCOL_HEADER} must be at most ${MAX_PROTOCOLS} tokens` };
  }
  const length = header('content-length')?.trim() ?? '0';
  if (header('transfer-encoding') === undefined && length === '0') return undefined;
  return { param: 'content-length', detail: 'A request for a WebSocket has no body' };
}

export const PROTOCOL_HEADER = 'sec-websocket-protocol';

/** The sub-protocols of the header, in order. */
export const offeredProtocols = (header: string | undefined): readonly string[] => listOf(header);

const listOf = (value = ''): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

export const newKey = (): string => randomBytes(16).toString('base64');

/** `sec-websocket-accept` for a key. */
export const acceptOf = (key: string): string => hash('sha1', key + GUID, 'base64');

/** The headers of a request for a WebSocket, beside those of the connection. */
export const requestHeaders = (key: string, protocols: readonly string[]): Readonly<Record<string, string>> => ({
  'sec-websocket-key': key,
  'sec-websocket-version': VERSION,
  ...(protocols.length === 0 ? {} : { [PROTOCOL_HEADER]: protocols.join(', ') }),
});

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The sub-protocol of a 101, or why the answer is none. No extension was offered, so none may be chosen. */
export function readAnswer(
  headers: Headers,
  key: string,
  protocols: readonly string[],
): { readonly ok: true; readonly protocol: string | undefined } | { readonly ok: false; readonly error: string } {
  if (String(headers['upgrade']).toLowerCase() !== 'websocket') return failed('it switched to another protocol');
  if (headers['sec-websocket-accept'] !== acceptOf(key)) return failed('sec-websocket-accept is wrong');
  if (headers['sec-websocket-extensions'] !== undefined) return failed('it uses an extension that was not offered');
  const protocol = headers[PROTOCOL_HEADER];
  if (protocol === undefined) return { ok: true, protocol };
  if (typeof protocol === 'string' && protocols.includes(protocol)) return { ok: true, protocol };
  return failed('it chose a sub-protocol that was not offered');
}

const failed = (error: string) => ({ ok: false as const, error });
