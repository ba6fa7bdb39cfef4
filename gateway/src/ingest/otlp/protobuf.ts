/** Messages of protobuf, as much of them as OTLP needs. Source: https://protobuf.dev/programming-guides/encoding/ */
import { AppError } from '../../errors/index.ts';

/** Fields that may still be read: a small body may have millions. */
export interface Work {
  left: number;
}

/** A varint, fixed bytes or a length-delimited value. */
type Wire = bigint | Buffer;

const EMPTY = Buffer.alloc(0);
const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;
const MAX_FIELD_NUMBER = 2 ** 29;

/** The fields of one message, in their order. Its accessors throw PARAMETER_INVALID for what is no such message. */
export class Message {
  readonly fields: readonly (readonly [number: number, value: Wire])[];

  constructor(bytes: Buffer, work: Work) {
    this.fields = fieldsOf(bytes, work);
  }

  /** All values of a repeated field of messages. */
  all(wanted: number): readonly Buffer[] {
    return this.fields.flatMap(([number, value]) => (number === wanted ? [asBytes(value)] : []));
  }

  /** Empty: it is absent. */
  bytes(wanted: number): Buffer {
    return asBytes(this.#last(wanted) ?? EMPTY);
  }

  text(wanted: number): string {
    return this.bytes(wanted).toString('utf8');
  }

  number(wanted: number): number {
    const value = this.#last(wanted) ?? 0n;
    if (typeof value !== 'bigint') throw malformed();
    return Number(value);
  }

  /** Of nanoseconds as `fixed64`. */
  ms(wanted: number): number {
    const bytes = this.bytes(wanted);
    if (bytes.length === 0) return 0;
    if (bytes.length !== 8) throw malformed();
    return Number(bytes.readBigUInt64LE() / 1_000n) / 1_000;
  }

  #last(wanted: number): Wire | undefined {
    return this.fields.findLast(([number]) => number === wanted)?.[1];
  }
}

export const malformed = (): AppError =>
  new AppError('PARAMETER_INVALID', { param: 'body', detail: 'The body is no ExportTraceServiceRequest in protobuf' });

function asBytes(value: Wire): Buffer {
  if (!Buffer.isBuffer(value)) throw malformed();
  return value;
}

function fieldsOf(bytes: Buffer, work: Work): (readonly [number, Wire])[] {
  const fields: (readonly [number, Wire])[] = [];
  const cursor = new Cursor(bytes);
  while (cursor.hasMore()) {
    work.left -= 1;
    if (work.left < 0) throw new AppError('BODY_TOO_COMPLEX');
    const tag = Number(cursor.varint());
    const number = Math.floor(tag / 8);
    if (number === 0 || number >= MAX_FIELD_NUMBER) throw malformed();
    fields.push([number, cursor.value(tag % 8)]);
  }
  return fields;
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

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw malformed();
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw malformed();
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw malformed();
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
