/** Messages of AWS event streams (`application/vnd.amazon.eventstream`). Source: the vendor's description of the format. */
import { crc32 } from 'node:zlib';
import { toJson } from '../answer-size.ts';
import type { Frame } from '../reply.ts';

const CHECKSUM_BYTES = 4;
const PRELUDE_BYTES = 12;
const STRING_TYPE = 7;

/** Lengths, their checksum, headers, payload, and the checksum of all of it; integers are big-endian. */
export function encodeMessage(headers: Readonly<Record<string, string>>, payload: string | Buffer): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  prelude.writeUInt32BE(PRELUDE_BYTES + head.length + body.length + CHECKSUM_BYTES, 0);
  prelude.writeUInt32BE(head.length, CHECKSUM_BYTES);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, PRELUDE_BYTES - CHECKSUM_BYTES)), PRELUDE_BYTES - CHECKSUM_BYTES);
  const checked = Buffer.concat([prelude, head, body]);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32BE(crc32(checked));
  return Buffer.concat([checked, checksum]);
}

function encodeHeader(name: string, value: string): Buffer {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length);
  return Buffer.concat([Buffer.of(nameBytes.length), nameBytes, Buffer.of(STRING_TYPE), length, valueBytes]);
}

export function eventFrame(event: string, payload: object, kind: Frame['kind'] = 'event'): Frame {
  return frame({ ':event-type': event, ':content-type': 'application/json', ':message-type': 'event' }, payload, kind);
}

export function exceptionFrame(exception: string, payload: object): Frame {
  const type = { ':exception-type': exception, ':content-type': 'application/json', ':message-type': 'exception' };
  return frame(type, payload, 'event');
}

function frame(headers: Readonly<Record<string, string>>, payload: object, kind: Frame['kind']): Frame {
  const text = toJson(payload);
  const encode = (given: string | Buffer): Buffer => encodeMessage(headers, given);
  return { bytes: encode(text), kind, envelope: { payload: text, encode } };
}
