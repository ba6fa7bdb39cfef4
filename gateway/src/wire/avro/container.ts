import type { ByteAccount } from '../../lib/byte-budget.ts';
import { ByteSource } from './byte-source.ts';
import { DatumReader } from './datum.ts';
import { inflated } from './inflate.ts';
import type { Cursor } from './long.ts';
import { AvroProblem } from './problem.ts';
import { Quota } from './quota.ts';
import { type AvroType, parseSchema } from './schema.ts';
import { BLOCK_VALUES, Pace, RECORD_VALUES, Tally } from './tally.ts';

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
  recordBytes: 1024 * 1024,
  inflation: 200,
};

const MAGIC = Buffer.from('Obj\u0001');
const SYNC_BYTES = 16;
const MAX_HEADER_ENTRIES = 64;
/** Units: bytes. */
const MAX_HEADER_KEY = 1024;
const MAX_HEADER_VALUE = 256 * 1024;
const KNOWN_ENTRIES: ReadonlySet<string> = new Set(['avro.codec', 'avro.schema']);
const SMALL = 64 * 1024;

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
  /** What is left of it for further files that belong to this one; absent: the file is alone. */
  readonly quota?: Quota;
}

/** The values of a file, one after the other. Throws AvroProblem, MEMORY_EXHAUSTED, or what the source throws. */
export async function* readAvro(
  content: AsyncIterable<Buffer>,
  { memory, limits = AVRO_LIMITS, quota = new Quota() }: AvroOptions,
): AsyncGenerator<unknown> {
  const source = new ByteSource(content, { memory, quota });
  const pace = new Pace();
  try {
    const header = await readHeader(source);
    while (!(await source.isAtEnd())) {
      yield* readBlock(source, header, { memory, limits, quota, pace });
      await pace.after(BLOCK_VALUES, 0);
    }
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
      const value = await takeBytes(source, MAX_HEADER_VALUE);
      if (KNOWN_ENTRIES.has(key)) entries.set(key, Buffer.from(value));
    }
  }
}

async function takeBytes(source: ByteSource, max: number): Promise<Buffer> {
  const count = await source.takeLong();
  if (count < 0 || count > max) throw new AvroProblem('its header is too large');
  return source.take(count);
}

interface Work extends Required<AvroOptions> {
  readonly pace: Pace;
}

async function* readBlock(source: ByteSource, header: Header, work: Work): AsyncGenerator<unknown> {
  const { limits, memory } = work;
  const count = await source.takeLong();
  const size = await source.takeLong();
  if (count < 0 || size < 0) throw new AvroProblem('a block has no size');
  if (size > limits.blockBytes) throw new AvroProblem(`a block has more than ${limits.blockBytes} bytes`);
  if (header.codec === 'null') {
    yield* readRecords(await packedBlock(source, size, header), count, header.type, work);
    source.release();
    return;
  }
  const bytes = await unpackedBlock(source, size, header, work);
  try {
    yield* readRecords(bytes, count, header.type, work);
  } finally {
    memory.give(bytes.length);
  }
}

async function packedBlock(source: ByteSource, size: number, { sync }: Header): Promise<Buffer> {
  const block = await source.take(size + SYNC_BYTES);
  if (!block.subarray(size).equals(sync)) throw new AvroProblem('a block does not end where it should');
  return block.subarray(0, size);
}

/** Counted in memory: the caller gives it back. */
async function unpackedBlock(
  source: ByteSource,
  size: number,
  header: Header,
  { limits, memory, quota }: Work,
): Promise<Buffer> {
  const maxBytes = Math.min(limits.blockBytes, SMALL + Math.ceil(size * limits.inflation));
  const bytes = await inflated(await packedBlock(source, size, header), { maxBytes, memory, quota });
  source.release();
  return bytes;
}

async function* readRecords(
  bytes: Buffer,
  count: number,
  type: AvroType,
  { limits, quota, pace }: Work,
): AsyncGenerator<unknown> {
  if (count > bytes.length) throw new AvroProblem('a block has more records than bytes');
  const cursor: Cursor = { bytes, at: 0 };
  const tally = new Tally(bytes.length);
  for (let left = count; left > 0; left -= 1) {
    const start = cursor.at;
    const record = new DatumReader(cursor, limits.recordBytes, tally).read(type);
    if (cursor.at === start) throw new AvroProblem('a record has no bytes');
    quota.read(RECORD_VALUES + tally.values);
    yield record;
    await pace.after(tally.values, cursor.at - start);
  }
  if (cursor.at !== bytes.length) throw new AvroProblem('a block has more bytes than its records');
}
