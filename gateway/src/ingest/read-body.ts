/** Bodies of records: whole, unpacked, and within limits. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseJson } from '@gatehouse/crds';
import { AppError, memoryExhausted } from '../errors/index.ts';
import type { ByteAccount } from '../lib/byte-budget.ts';
import { type JsonLimits, JsonScan } from '../lib/json/index.ts';
import { isPacked, KNOWN_ENCODINGS, unpack } from '../lib/unpack.ts';
import type { ResolvedRequest } from '../pipeline/index.ts';

/** Of one call, unpacked or not. Source: docs/behaviour/request-logs.md#records-of-clients */
const MAX_BYTES = 8 * 1024 * 1024;

/** Rejects with BODY_TOO_LARGE, MEMORY_EXHAUSTED, CONTENT_ENCODING_INVALID, or as the body does. */
export async function readBody({ exchange, resolution }: ResolvedRequest): Promise<Buffer> {
  const { memory, request } = exchange;
  const { body } = resolution;
  const bytes = body.kind === 'binary' ? await collect(body.source, memory) : Buffer.alloc(0);
  const encoding = request.header('content-encoding');
  if (!isPacked(encoding)) return bytes;
  const unpacked = await unpack(bytes, encoding, { maxBytes: MAX_BYTES, memory });
  if (unpacked.ok) return unpacked.value;
  const { kind } = unpacked.error;
  if (kind === 'too-large') throw tooLarge();
  if (kind === 'no-memory') throw memoryExhausted();
  const what =
    kind === 'unknown-encoding'
      ? `is not supported; send one of ${KNOWN_ENCODINGS.join(', ')}`
      : 'does not fit the bytes';
  throw new AppError('CONTENT_ENCODING_INVALID', {
    param: 'content-encoding',
    detail: `The content-encoding of the request body ${what}`,
  });
}

interface Source {
  readonly bytes: number | undefined;
  open(): AsyncIterable<Buffer>;
}

async function collect(source: Source, memory: Pick<ByteAccount, 'take'>): Promise<Buffer> {
  if ((source.bytes ?? 0) > MAX_BYTES) throw tooLarge();
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of source.open()) {
    length += piece.length;
    if (length > MAX_BYTES) throw tooLarge();
    if (!memory.take(piece.length)) throw memoryExhausted();
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}

const tooLarge = (): AppError =>
  new AppError('BODY_TOO_LARGE', {
    detail: `The records are larger than ${MAX_BYTES / 1024 / 1024} MB in one call; send them in parts`,
  });

/** Bytes that are checked in one turn of the event loop. */
const SLICE_BYTES = 256 * 1024;

/** Rejects with BODY_NOT_JSON, BODY_TOO_COMPLEX, BODY_NAME_REPEATED or MEMORY_EXHAUSTED; nothing of the text is quoted. */
export async function readRecords(
  bytes: Buffer,
  limits: JsonLimits,
  memory: Pick<ByteAccount, 'take'>,
): Promise<unknown> {
  if (!memory.take(bytes.length)) throw memoryExhausted(); // the value that is parsed from them
  const scan = new JsonScan(bytes, limits, { paused: true });
  for (let until = SLICE_BYTES; !scan.run(until); until += SLICE_BYTES) await nextTurn();
  const { problem } = scan;
  if (problem?.kind === 'duplicate') throw new AppError('BODY_NAME_REPEATED');
  if (problem !== undefined) throw new AppError(problem.kind === 'malformed' ? 'BODY_NOT_JSON' : 'BODY_TOO_COMPLEX');
  try {
    return parseJson(bytes.toString('utf8'), scan.nameKind);
  } catch {
    throw new AppError('BODY_NOT_JSON');
  }
}

/** The media type, in lower case and without parameters; empty: the client names none. */
export const mediaTypeOf = ({ exchange: { request } }: Pick<ResolvedRequest, 'exchange'>): string =>
  (request.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isJsonType = (type: string): boolean => type === 'application/json' || type.endsWith('+json');
