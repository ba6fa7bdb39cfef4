/** Rows of an input file in the format of OpenAI: `{custom_id, method, url, body}`, one on each line. */
import { isObject } from '@gatehouse/crds';
import { AppError, memoryExhausted } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import { LineTooLong, linesOf } from '../../lib/lines.ts';
import type { JsonObject } from '../contract.ts';

export interface BatchRow {
  /** What the row is called in texts: `line 3`. */
  readonly place: string;
  readonly customId: string;
  /** Undefined: the row names none. */
  readonly url: string | undefined;
  readonly body: JsonObject;
}

export interface RowRules {
  /** The parameter that errors are about. */
  readonly param: string;
  readonly json: JsonLimits;
  /** Holds the row that is worked on. */
  readonly memory: ByteAccount;
}

/** Longest row, in bytes: as long as a row of a batch of the gateway's own may be by default. */
export const MAX_ROW_BYTES = 4 * 1024 * 1024;
/** Units: characters. */
const MAX_CUSTOM_ID = 256;

/** Empty lines are none. Throws PARAMETER_INVALID, which names the line, or MEMORY_EXHAUSTED. */
export async function* readRows(content: AsyncIterable<Buffer>, rules: RowRules): AsyncGenerator<BatchRow> {
  for await (const { value, ...at } of readLines(content, rules)) yield toRow(value, at);
}

/** A line, parsed; undefined: it is no JSON, or beyond the limits. */
export interface ReadLine extends RowPlace {
  readonly value: unknown;
}

/** Lines of JSON of any kind. Throws as `readRows`. */
export async function* readLines(content: AsyncIterable<Buffer>, rules: RowRules): AsyncGenerator<ReadLine> {
  const { param, memory } = rules;
  let line = 0;
  try {
    for await (const bytes of linesOf(content, MAX_ROW_BYTES)) {
      line += 1;
      if (bytes.length === 0) continue;
      if (!memory.take(bytes.length)) throw memoryExhausted();
      yield { value: parsed(bytes, rules.json), place: `line ${line}`, param };
      memory.give(bytes.length);
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    throw invalidRow({ place: `line ${error.number}`, param }, `it has more than ${MAX_ROW_BYTES} bytes`);
  }
}

export interface RowPlace {
  readonly place: string;
  readonly param: string;
}

/** One row that has been parsed. Throws PARAMETER_INVALID. */
export function toRow(value: unknown, at: RowPlace): BatchRow {
  if (!isObject(value)) throw invalidRow(at, 'it is not a JSON object, has a name twice, or is nested too deep');
  const { custom_id: customId, method = 'POST', url, body } = value;
  if (typeof customId !== 'string' || customId === '' || customId.length > MAX_CUSTOM_ID) {
    throw invalidRow(at, `custom_id must be a text of 1 to ${MAX_CUSTOM_ID} characters`);
  }
  if (method !== 'POST') throw invalidRow(at, 'method must be POST');
  if (url !== undefined && typeof url !== 'string') throw invalidRow(at, 'url must be a text');
  if (!isObject(body)) throw invalidRow(at, 'body must be a JSON object');
  return { place: at.place, customId, url, body };
}

export const invalidRow = ({ place, param }: RowPlace, problem: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: `Invalid row in ${param}, ${place}: ${problem}` });

/** An error about the body of a row, with its place; anything else as it is. */
export function atRow(error: unknown, { place, param }: RowPlace): unknown {
  if (!(error instanceof AppError) || error.row.status >= 500) return error;
  const detail = `Invalid row in ${param}, ${place}: ${error.message}`;
  return new AppError(error.code, {
    param,
    detail,
    ...(error.provider === undefined ? {} : { provider: error.provider }),
  });
}

function parsed(bytes: Buffer, limits: JsonLimits): unknown {
  try {
    return readJson(bytes, limits, { repeated: false });
  } catch {
    return undefined; // what the parser says quotes the row
  }
}
