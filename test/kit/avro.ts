/** Writes object container files of Avro; what is in their blocks comes encoded. */
import { deflateRawSync } from 'node:zlib';

const SYNC = Buffer.alloc(16, 0x5a);

/** An `int` or a `long`. */
export function avroLong(value: number | bigint): Buffer {
  const whole = BigInt(value);
  let rest = BigInt.asUintN(64, (whole << 1n) ^ (whole >> 63n));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

export const avroBytes = (bytes: Buffer): Buffer => Buffer.concat([avroLong(bytes.length), bytes]);

export const avroText = (text: string): Buffer => avroBytes(Buffer.from(text));

export const avroDouble = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};

export const avroFloat = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};

export interface AvroFile {
  /** Bytes are taken as they are. */
  readonly schema: unknown;
  /** Records of each block, encoded. */
  readonly blocks: readonly (readonly Buffer[])[];
  readonly codec?: string;
}

export function avroFile({ schema, blocks, codec = 'null' }: AvroFile): Buffer {
  const pack = codec === 'deflate' ? deflateRawSync : (bytes: Buffer) => bytes;
  const text = Buffer.isBuffer(schema) ? schema : Buffer.from(JSON.stringify(schema));
  return Buffer.concat([
    Buffer.from('Obj\u0001'),
    ...[avroLong(2), avroText('avro.codec'), avroText(codec), avroText('avro.schema'), avroBytes(text), avroLong(0)],
    SYNC,
    ...blocks.flatMap((records) => [...[avroLong(records.length), avroBytes(pack(Buffer.concat(records))), SYNC]]),
  ]);
}

const EMBEDDED = {
  ...{ type: 'record', name: 'Embedded' },
  fields: [
    { name: 'custom_id', type: ['null', 'string'] },
    { name: 'id', type: ['null', 'string'] },
    { name: 'text', type: 'string' },
    {
      name: 'embeddings',
      type: {
        type: 'record',
        name: 'Embeddings',
        fields: [{ name: 'float', type: ['null', { type: 'array', items: 'double' }] }],
      },
    },
  ],
};

export interface EmbeddedRow {
  readonly custom_id?: string | undefined;
  readonly id?: string | undefined;
  readonly text: string;
  readonly vector?: readonly number[];
}

const optional = (value: Buffer | undefined): Buffer[] => (value === undefined ? [avroLong(0)] : [avroLong(1), value]);

/** One record of the output of an embed job. */
export const embeddedRecord = ({ custom_id, id, text, vector }: EmbeddedRow): Buffer =>
  Buffer.concat([
    ...optional(custom_id === undefined ? undefined : avroText(custom_id)),
    ...optional(id === undefined ? undefined : avroText(id)),
    avroText(text),
    ...optional(
      vector &&
        Buffer.concat([
          avroLong(vector.length),
          ...vector.map(avroDouble),
          ...(vector.length === 0 ? [] : [avroLong(0)]),
        ]),
    ),
  ]);

/** The output of an embed job, some rows to a block. */
export function embeddedFile(rows: readonly EmbeddedRow[], codec = 'deflate', perBlock = 2): Buffer {
  const blocks = Array.from({ length: Math.ceil(rows.length / perBlock) }, (_, at) =>
    rows.slice(at * perBlock, (at + 1) * perBlock).map(embeddedRecord),
  );
  return avroFile({ schema: EMBEDDED, blocks, codec });
}
