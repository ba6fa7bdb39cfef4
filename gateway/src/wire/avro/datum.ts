/** Values in the binary encoding of Avro, with the schema they were written with. */
import { type Cursor, readLong } from './long.ts';
import { AvroProblem } from './problem.ts';
import type { AvroType } from './schema.ts';
import type { Tally } from './tally.ts';

/** Deeper values are refused: schemas may name themselves. */
const MAX_DEPTH = 64;

/** Reads one record, which has `maxBytes` at most. */
export class DatumReader {
  readonly #cursor: Cursor;
  readonly #end: number;
  readonly #tally: Tally;
  #depth = 0;

  constructor(cursor: Cursor, maxBytes: number, tally: Tally) {
    this.#cursor = cursor;
    this.#end = Math.min(cursor.bytes.length, cursor.at + maxBytes);
    this.#tally = tally;
    tally.startRecord();
  }

  /**
   * Records and maps as objects, lists as arrays, a union as the value of its branch, `bytes` and `fixed` as Buffers that share memory
   * with the block. Throws AvroProblem.
   */
  read(type: AvroType): unknown {
    const start = this.#cursor.at;
    this.#tally.value();
    const value = this.#nested(type);
    if (this.#cursor.at === start) this.#tally.empty();
    return value;
  }

  #nested(type: AvroType): unknown {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new AvroProblem('a record is nested too deep');
    const value = this.#valueOf(type);
    this.#depth -= 1;
    return value;
  }

  #valueOf(type: AvroType): unknown {
    switch (type.kind) {
      case 'record':
        return Object.fromEntries(type.fields.map((field) => [field.name, this.read(field.type)]));
      case 'union':
        return this.#nested(this.#choice(type.branches)); // one value, which has the byte of its branch
      case 'array':
        return this.#items(() => this.read(type.items));
      case 'map':
        return Object.fromEntries(this.#items(() => [this.#key(), this.read(type.items)] as const));
      case 'enum':
        return this.#choice(type.symbols);
      case 'fixed':
        return this.#bytes(type.size);
      default:
        return this.#primitive(type.kind);
    }
  }

  #primitive(kind: Exclude<AvroType['kind'], 'record' | 'union' | 'array' | 'map' | 'enum' | 'fixed'>): unknown {
    switch (kind) {
      case 'null':
        return null;
      case 'boolean':
        return this.#bytes(1)[0] === 1;
      case 'int':
      case 'long':
        return this.#long();
      case 'float':
        return this.#bytes(4).readFloatLE();
      case 'double':
        return this.#bytes(8).readDoubleLE();
      case 'bytes':
        return this.#bytes(this.#long());
      case 'string':
        return this.#text();
    }
  }

  /** Blocks of items, each after its count; a negative count has the size of the block behind it. */
  #items<T>(read: () => T): T[] {
    const items: T[] = [];
    for (;;) {
      const count = this.#long();
      if (count === 0) return items;
      if (count < 0) this.#long();
      for (let left = Math.abs(count); left > 0; left -= 1) items.push(read());
    }
  }

  #choice<T>(choices: readonly T[]): T {
    const index = this.#long();
    const chosen = choices[index];
    if (chosen === undefined) throw new AvroProblem('a value is none of its type');
    return chosen;
  }

  #key(): string {
    this.#tally.value();
    return this.#text();
  }

  #text(): string {
    return this.#bytes(this.#long()).toString('utf8');
  }

  #long(): number {
    const value = readLong(this.#cursor);
    if (this.#cursor.at > this.#end) throw new AvroProblem('a record is too large');
    return value;
  }

  #bytes(count: number): Buffer {
    const { bytes, at } = this.#cursor;
    if (count < 0 || at + count > this.#end) throw new AvroProblem('a value ends too early, or a record is too large');
    this.#cursor.at = at + count;
    return bytes.subarray(at, at + count);
  }
}
