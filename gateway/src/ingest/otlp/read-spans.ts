/** Reads what an exporter sends, and makes the answer that it expects. */
import { AppError } from '../../errors/index.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import { forEachInSlices } from '../../lib/slices.ts';
import type { LocalAnswer, ResolvedRequest } from '../../pipeline/index.ts';
import type { Entry, EntryContext } from '../entry.ts';
import { mediaTypeOf, readBody, readRecords } from '../read-body.ts';
import { readJsonSpans } from './read-json.ts';
import { readProtobuf } from './read-protobuf.ts';
import { problemOf, spanToEntry } from './to-entry.ts';

interface TakenSpans {
  readonly entries: readonly Entry[];
  readonly answer: LocalAnswer;
}

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

/** Rejects with the AppError of a body that is no export; single spans that cannot be kept are counted in the answer. */
export async function readSpans(
  request: ResolvedRequest,
  json: JsonLimits,
  context: EntryContext,
): Promise<TakenSpans> {
  const type = mediaTypeOf(request);
  if (type !== PROTOBUF && type !== JSON_TYPE) {
    throw new AppError('CONTENT_TYPE_INVALID', {
      param: 'content-type',
      detail: `The content-type of spans is ${PROTOBUF} or ${JSON_TYPE}`,
    });
  }
  const bytes = await readBody(request);
  const { memory } = request.exchange;
  const readers =
    type === PROTOBUF ? readProtobuf(bytes, json.nodes) : readJsonSpans(await readRecords(bytes, json, memory));
  const entries: Entry[] = [];
  const refused: string[] = [];
  await forEachInSlices(readers, (read) => {
    const span = read();
    const problem = problemOf(span, context);
    if (problem === undefined) entries.push(spanToEntry(span));
    else refused.push(`${span.place}: ${problem}`);
  });
  const [first = ''] = refused;
  const rejected = { count: refused.length, message: first };
  return {
    entries,
    answer: { headers: { 'content-type': type }, bytes: type === PROTOBUF ? toProtobuf(rejected) : toJson(rejected) },
  };
}

interface Rejected {
  readonly count: number;
  /** Of the first one. */
  readonly message: string;
}

const toJson = ({ count, message }: Rejected): Buffer =>
  Buffer.from(
    JSON.stringify(count === 0 ? {} : { partialSuccess: { rejectedSpans: String(count), errorMessage: message } }),
  );

/** ExportTraceServiceResponse: 1 partial_success, with 1 rejected_spans and 2 error_message. */
function toProtobuf({ count, message }: Rejected): Buffer {
  if (count === 0) return Buffer.alloc(0);
  const text = Buffer.from(message);
  const inner = Buffer.concat([Buffer.from([0x08, ...varint(count), 0x12, ...varint(text.length)]), text]);
  return Buffer.concat([Buffer.from([0x0a, ...varint(inner.length)]), inner]);
}

function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left >>>= 7) bytes.push((left & 0x7f) | 0x80);
  return [...bytes, left];
}
