/** Messages of protobuf, as much of them as OTLP needs. Source: https://protobuf.dev/programming-guides/encoding/ */
import { AppError } from '../../errors/index.ts';
import type { Work } from './work.ts';

/** A varint (a bigint where it is large), fixed bytes or a length-delimited value. */
type Wire = number | bigint | Buffer;

const EMPTY = Buffer.alloc(0);
const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;
const MAX_FIELD_NUMBER = 2 ** 29;
/** Messages of OTLP have no higher numbers, but for flags that nothing is read from. */
const MAX_KNOWN_NUMBER = 15;

/** How many values of repeated fields are kept, by the numbers of the fields; those behind them are passed over. */
type Repeated = Readonly<Record<number, number>>;

/** The fields of one message. The constructor and accessors throw PARAMETER_INVALID for what is no such message. */
export class Message {
  readonly #lists = new Map<number, Buffer[]>();
  /** The last value of each other field, the last one at the end. */
  readonly #values = new Map<number, Wire>();

  constructor(bytes: Buffer, work: Work, repeated: Repeated = {}) {
    const cursor = new Cursor(bytes);
    while (cursor.hasMore()) {
      work.take();
      const tag = Number(cursor.varint());
      const number = Math.floor(tag / 8);
      if (number === 0 || number >= MAX_FIELD_NUMBER) throw malformed();
      this.#keep(number, cursor.value(tag % 8), repeated[number]);
    }
  }

  #keep(number: number, value: Wire, most: number | undefined): void {
    if (number > MAX_KNOWN_NUMBER) return;
    if (most === undefined) {
      this.#values.delete(number);
      this.#values.set(number, value);
      return;
    }
    const list = this.#lists.get(number) ?? [];
    if (list.length < most) list.push(asBytes(value));
    this.#lists.set(number, list);
  }

  /** The values of a repeated field of messages, as many as are kept. */
  all(wanted: number): readonly Buffer[] {
    return this.#lists.get(wanted) ?? [];
  }

  /** Empty: it is absent. */
  bytes(wanted: number): Buffer {
    return asBytes(this.#values.get(wanted) ?? EMPTY);
  }

  text(wanted: number): string {
    return this.bytes(wanted).toString('utf8');
  }

  number(wanted: number): number {
    const value = this.#values.get(wanted) ?? 0;
    if (Buffer.isBuffer(value)) throw malformed();
    return Number(value);
  }

  /** Of nanoseconds as `fixed64`. */
  ms(wanted: number): number {
    const bytes = this.bytes(wanted);
    if (bytes.length === 0) return 0;
    if (bytes.length !== 8) throw malformed();
    return Number(bytes.readBigUInt64LE() / 1_000n) / 1_000;
  }

  /** The last field of a oneof with numbers up to `highest`. */
  oneOf(highest: number): readonly [number: number, value: Wire] | undefined {
    return [...this.#values].findLast(([number]) => number <= highest);
  }
}

export const malformed = (): AppError =>
  new AppError('PARAMETER_INVALID', { param: 'body', detail: 'The body is no ExportTraceServiceRequest in protobuf' });

function asBytes(value: Wire): Buffer {
  if (!Buffer.isBuffer(value)) throw malformed();
  return value;
}

class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  value(type: number): Wire {
    switch (type) {
      case VARINT:
        return this.varint();
      case FIXED64:
        return this.#take(8);
      case FIXED32:
        return this.#take(4);
      case DELIMITED:
        return this.#take(Number(this.varint()));
      default:
        throw malformed();
    }
  }

  /** Numbers of up to 49 bits, which nearly all are, without a bigint. */
  varint(): number | bigint {
    let value = 0;
    for (let scale = 1; scale < 2 ** 49; scale *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    let large = BigInt(value);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      large |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, large);
    }
    throw malformed();
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw malformed();
    this.#at += 1;
    return byte;
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw malformed();
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
