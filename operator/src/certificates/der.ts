/** The few DER encodings that a certificate is made of (ITU-T X.690). */

type Bytes = Uint8Array;

function encode(tag: number, ...contents: readonly Bytes[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
}

export const derSequence = (...items: readonly Bytes[]): Buffer => encode(0x30, ...items);
export const derSet = (...items: readonly Bytes[]): Buffer => encode(0x31, ...items);
export const derOctets = (content: Bytes): Buffer => encode(0x04, content);
export const derUtf8 = (text: string): Buffer => encode(0x0c, Buffer.from(text));
export const DER_TRUE: Buffer = encode(0x01, Buffer.from([0xff]));

/** A context-specific tag; `derPrimitive` replaces the tag of the value instead of wrapping it. */
export const derTagged = (number: number, content: Bytes): Buffer => encode(0xa0 | number, content);
export const derPrimitive = (number: number, content: Bytes): Buffer => encode(0x80 | number, content);

/** A positive number of any size, big-endian. */
export function derInteger(bytes: Bytes): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return encode(0x02, ...(isNegative ? [Buffer.from([0])] : []), bytes);
}

/** `unused` counts the unused bits of the last byte. */
export const derBits = (content: Bytes, unused = 0): Buffer => encode(0x03, Buffer.from([unused]), content);

export function derOid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return encode(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

/** Whole seconds; RFC 5280 4.1.2.5 wants two-digit years until 2049 and four digits from then on. */
export function derTime(wallMs: number): Buffer {
  const digits = `${new Date(wallMs).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return digits < '2050' ? encode(0x17, Buffer.from(digits.slice(2))) : encode(0x18, Buffer.from(digits));
}
