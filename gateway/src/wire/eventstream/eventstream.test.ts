import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame } from '../contract.ts';
import { createEventStreamReader, encodeEventStreamChunk, encodeEventStreamMessage } from './index.ts';

const read = (pieces: readonly Buffer[]): Frame[] => {
  const reader = createEventStreamReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
};

const BYTES = Buffer.concat([
  encodeEventStreamMessage({ event: 'messageStart', payload: { role: 'assistant', p: 'abc' } }),
  encodeEventStreamChunk({ type: 'message_start', text: 'grüße 😀' }),
  encodeEventStreamMessage({ event: 'contentBlockDelta', payload: { delta: { text: 'a "bytes" b' } } }),
  encodeEventStreamMessage({ exception: 'throttlingException', payload: { message: 'slow down' } }),
  encodeEventStreamMessage({ error: 'InternalFailure', message: 'broken' }),
]);
const FRAMES: Frame[] = [
  { event: 'messageStart', data: '{"role":"assistant","p":"abc"}' },
  { event: 'chunk', data: '{"type":"message_start","text":"grüße 😀"}' },
  { event: 'contentBlockDelta', data: '{"delta":{"text":"a \\"bytes\\" b"}}' },
  { event: 'throttlingException', data: '{"message":"slow down"}' },
  { event: 'error', data: '{"__type":"InternalFailure","message":"broken"}' },
];

const broken = expect.objectContaining({ code: 'UPSTREAM_STREAM_BROKEN' });

/** A prelude with a right checksum and any lengths, built from a valid message of that length. */
function withLengths(total: number, headers: number): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(headers, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  return prelude;
}

/** CRC-32 bit by bit (IEEE 802.3, reflected): independent of the code under test. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

describe('the AWS event stream', () => {
  test('gives the same frames at every split point', () => {
    for (let at = 0; at <= BYTES.length; at += 1) {
      expect(read([BYTES.subarray(0, at), BYTES.subarray(at)])).toEqual(FRAMES);
    }
  });

  test('gives the same frames for any cutting', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(BYTES.length), { maxLength: 30 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), BYTES.length];
        expect(read(at.slice(1).map((end, i) => BYTES.subarray(at[i], end)))).toEqual(FRAMES);
      }),
    );
  });

  test('gives each frame as soon as its last byte is there', () => {
    const reader = createEventStreamReader();
    const first = BYTES.readUInt32BE(0);
    expect(reader.push(BYTES.subarray(0, first - 1))).toEqual([]);
    expect(reader.push(BYTES.subarray(first - 1, first + 3))).toEqual([FRAMES[0]]);
  });

  test('is broken by a change of any single byte', () => {
    const message = BYTES.subarray(0, BYTES.readUInt32BE(0));
    for (let at = 0; at < message.length; at += 1) {
      const changed = Buffer.from(message);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      expect(() => read([changed]), `byte ${at}`).toThrow(broken);
    }
  });

  test.for([
    { rule: 'with a message beyond the size limit', bytes: withLengths(64 * 1024 * 1024, 0) },
    { rule: 'with a message shorter than its overhead', bytes: withLengths(15, 0) },
    { rule: 'with headers longer than their message', bytes: withLengths(64, 100) },
    { rule: 'that is not an event stream at all', bytes: Buffer.from('<html>502 Bad Gateway</html>') },
  ])('refuses a stream $rule', ({ bytes }) => {
    expect(() => read([Buffer.from(bytes)])).toThrow(broken);
  });

  test.for([7, 40])('emits nothing for a message that is cut after %d bytes', (at) => {
    expect(read([BYTES.subarray(0, at)])).toEqual([]);
  });

  test('needs time linear in its length when bytes come one by one', () => {
    const big = encodeEventStreamMessage({ event: 'contentBlockDelta', payload: { text: 'x'.repeat(200_000) } });
    const reader = createEventStreamReader();
    const frames = [...big].flatMap((byte) => reader.push(Buffer.of(byte)));
    expect(frames).toHaveLength(1);
  });

  test('fails with one code for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          read([Buffer.from(bytes)]);
        } catch (error) {
          expect(error).toEqual(broken);
        }
      }),
    );
  });
});
