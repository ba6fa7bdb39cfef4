import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeMessage } from './event-stream.ts';
import { cutMessages } from './testing.ts';

// Published test vectors of the format: an empty message, and one with a payload alone.
test.for([
  { payload: '', hex: '000000100000000005c248eb7d98c8ff' },
  { payload: "{'foo':'bar'}", hex: '0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936' },
])('a message without headers: $payload', ({ payload, hex }) => {
  expect(encodeMessage({}, payload).toString('hex')).toBe(hex);
});

test('headers and payload of any kind come back, with both checksums', () => {
  const headers = fc.dictionary(fc.stringMatching(/^:?[a-z-]{1,20}$/), fc.string({ maxLength: 40 }), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(headers, fc.uint8Array(), (given, bytes) => {
      const message = encodeMessage(given, Buffer.from(bytes));
      const [read, second, ...rest] = cutMessages(Buffer.concat([message, message]));
      expect([read?.headers, read?.payload.equals(bytes), rest]).toEqual([given, true, []]);
      expect(second).toEqual(read);
    }),
  );
});

test('a reader notices a byte that has changed', () => {
  const message = encodeMessage({ ':event-type': 'chunk' }, 'text');
  for (let at = 0; at < message.length; at += 1) {
    const changed = Buffer.from(message);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(() => cutMessages(changed)).toThrow();
  }
});
