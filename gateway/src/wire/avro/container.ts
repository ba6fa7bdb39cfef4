import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { memoryExhausted } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { ByteSource } from './byte-source.ts';
import { DatumReader } from './datum.ts';
import type { Cursor } from './long.ts';
import { AvroProblem } from './problem.ts';
import { type AvroType, parseSchema } from './schema.ts';

export interface AvroLimits {
  /** Of a block as it is sent, and unpacked, in bytes. */
  readonly blockBytes: number;
  readonly recordBytes: number;
  /** How many bytes one byte of a block may stand for, beyond the first 64 KiB. */
  readonly inflation: number;
}

/** Writers end blocks after 16 KiB to 64 KiB, or after one record that is longer. */
export const AVRO_LIMITS: AvroLimits = {
  blockBytes: 16 * 1024 * 1024,
  recordBytes: 4 * 1024 * 1024,
  inflation: 200,
};

const MAGIC = Buffer.from('Obj\u0001');
const SYNC_BYTES = 16;
const MAX_HEADER_ENTRIES = 64;
/** Units: bytes. */
const MAX_HEADER_KEY = 1024;
const MAX_HEADER_VALUE = 256 * 1024;
const SMALL = 64 * 1024;

const inflate = promisify(inflateRaw);

type Codec = 'null' | 'deflate';

interface Header {
  readonly type: AvroType;
  readonly codec: Codec;
  readonly sync: Buffer;
}

export interface AvroOptions {
  /** Holds the block that is worked on. */
  readonly memory: ByteAccount;
  readonly limits?: AvroLimits;
}

/** The values of a file, one after the other. Throws AvroProblem, MEMORY_EXHAUSTED, or what the source throws. */
export async function* readAvro(
  content: AsyncIterable<Buffer>,
  { memory, limits = AVRO_LIMITS }: AvroOptions,
): AsyncGenerator<unknown> {
  const source = new ByteSource(content);
  try {
    const header = await readHeader(source);
    while (!(await source.isAtEnd())) yield* readBlock(source, header, { memory, limits });
  } finally {
    await source.close();
  }
}

async function readHeader(source: ByteSource): Promise<Header> {
  if (!(await source.take(MAGIC.length)).equals(MAGIC)) throw new AvroProblem('it is no Avro file');
  const entries = await readEntries(source);
  const sync = Buffer.from(await source.take(SYNC_BYTES));
  const codec = entries.get('avro.codec')?.toString() ?? 'null';
  if (codec !== 'null' && codec !== 'deflate') throw new AvroProblem('it is packed in a way that is not known');
  const schema = entries.get('avro.schema');
  if (schema === undefined) throw new AvroProblem('it has no schema');
  return { type: parseSchema(schema), codec, sync };
}

async function readEntries(source: ByteSource): Promise<ReadonlyMap<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  for (let read = 0; ; ) {
    const count = await source.takeLong();
    if (count === 0) return entries;
    if (count < 0) await source.takeLong(); // the size of what follows
    read += Math.abs(count);
    if (read > MAX_HEADER_ENTRIES) throw new AvroProblem('its header has too many entries');
    for (let left = Math.abs(count); left > 0; left -= 1) {
      const key = (await takeBytes(source, MAX_HEADER_KEY)).toString('utf8');
      entries.set(key, Buffer.from(await takeBytes(source, MAX_HEADER_VALUE)));
    }
  }
}

async function takeBytes(source: ByteSource, max: number): Promise<Buffer> {
  const count = await source.takeLong();
  if (count < 0 || count > max) throw new AvroProblem('its header is too large');
  return source.take(count);
}

async function* readBlock(
  source: ByteSource,
  { type, codec, sync }: Header,
  { memory, limits }: Required<AvroOptions>,
): AsyncGenerator<unknown> {
  const count = await source.takeLong();
  const size = await source.takeLong();
  if (count < 0 || size < 0) throw new AvroProblem('a block has no size');
  if (size > limits.blockBytes) throw new AvroProblem(`a block has more than ${limits.blockBytes} bytes`);
  const unpacked = codec === 'null' ? 0 : Math.min(limits.blockBytes, SMALL + Math.ceil(size * limits.inflation));
  if (!memory.take(size + unpacked)) throw memoryExhausted();
  try {
    const packed = await source.take(size);
    const bytes = codec === 'null' ? packed : await inflated(packed, unpacked);
    if (!(await source.take(SYNC_BYTES)).equals(sync)) throw new AvroProblem('a block does not end where it should');
    if (count > bytes.length) throw new AvroProblem('a block has more records than bytes');
    const cursor: Cursor = { bytes, at: 0 };
    for (let left = count; left > 0; left -= 1) yield new DatumReader(cursor, limits.recordBytes).read(type);
    if (cursor.at !== bytes.length) throw new AvroProblem('a block has more bytes than its records');
  } finally {
    memory.give(size + unpacked);
  }
}

async function inflated(packed: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    return await inflate(packed, { maxOutputLength });
  } catch {
    throw new AvroProblem('a block cannot be unpacked, or not within its limits');
  }
}
