/** Reads AWS event streams, for tests. */
import { crc32 } from 'node:zlib';

const PRELUDE_BYTES = 12;

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** The messages of a stream. Throws Error for bytes that are none, such as those with a wrong checksum. */
export function cutMessages(bytes: Buffer): readonly Message[] {
  const found: Message[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) throw new Error('checksum of a prelude');
    found.push(readMessage(bytes.subarray(at, at + length)));
    at += length;
  }
  return found;
}

function readMessage(message: Buffer): Message {
  if (crc32(message.subarray(0, -4)) !== message.readUInt32BE(message.length - 4)) {
    throw new Error('checksum of a message');
  }
  const headersEnd = PRELUDE_BYTES + message.readUInt32BE(4);
  const headers: Record<string, string> = {};
  for (let at = PRELUDE_BYTES; at < headersEnd; ) {
    const nameEnd = at + 1 + message.readUInt8(at);
    const valueEnd = nameEnd + 3 + message.readUInt16BE(nameEnd + 1);
    headers[message.toString('utf8', at + 1, nameEnd)] = message.toString('utf8', nameEnd + 3, valueEnd);
    at = valueEnd;
  }
  return { headers, payload: message.subarray(headersEnd, -4) };
}
