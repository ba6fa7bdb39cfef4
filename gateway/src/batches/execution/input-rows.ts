/** The rows of an input file: `{custom_id, method, url, body}`, one on each line. */
import { isObject } from '@gatehouse/crds';
import { type JsonLimits, JsonScan, readJson } from '../../lib/json/index.ts';
import { LineTooLong, linesOf } from '../../lib/lines.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { BatchProblem } from '../records.ts';

export interface InputRow {
  /** Place among the rows, from 0. */
  readonly row: number;
  /** Of the file, from 1. */
  readonly line: number;
  readonly customId: string;
  /** As the client wrote it. */
  readonly bytes: Buffer;
  readonly body: JsonObject;
}

export interface RowRules {
  readonly endpoint: string;
  readonly maxRows: number;
  readonly maxRowBytes: number;
  readonly json: JsonLimits;
}

/** A row is not what it has to be. */
export class BadRow extends Error {
  override readonly name = 'BadRow';
  readonly problem: BatchProblem;

  constructor(problem: BatchProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Empty lines are none. Yields the error of a row in its place; throws BadRow where nothing can be read behind it. */
export async function* inputRows(content: AsyncIterable<Buffer>, rules: RowRules): AsyncGenerator<InputRow | BadRow> {
  let row = 0;
  let line = 0;
  try {
    for await (const bytes of linesOf(content, rules.maxRowBytes)) {
      line += 1;
      if (bytes.length === 0) continue;
      if (row >= rules.maxRows) {
        throw bad(line, 'too_many_rows', `The file has more than ${rules.maxRows} rows (GATEHOUSE_BATCH_MAX_ROWS)`);
      }
      yield readRow(bytes, { row, line, rules });
      row += 1;
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    const { maxRowBytes } = rules;
    throw bad(
      error.number,
      'row_too_large',
      `The row has more than ${maxRowBytes} bytes (GATEHOUSE_BATCH_MAX_ROW_BYTES)`,
    );
  }
}

const MAX_CUSTOM_ID = 256;
/** More members than a row has. */
const MAX_MEMBERS = 32;

interface Place {
  readonly row: number;
  readonly line: number;
  readonly rules: RowRules;
}

function readRow(bytes: Buffer, { row, line, rules }: Place): InputRow | BadRow {
  const value = parsed(bytes, rules.json);
  if (!isObject(value)) return bad(line, 'invalid_json_line', 'The line is not a JSON object, or is nested too deep');
  const { custom_id: customId, method, url, body } = value;
  if (typeof customId !== 'string' || customId === '' || customId.length > MAX_CUSTOM_ID) {
    return bad(line, 'invalid_custom_id', `custom_id must be a text of 1 to ${MAX_CUSTOM_ID} characters`, 'custom_id');
  }
  if (method !== 'POST') return bad(line, 'invalid_method', 'method must be POST', 'method');
  if (url !== rules.endpoint) {
    return bad(line, 'mismatched_endpoint', `url must be ${rules.endpoint}, the endpoint of the batch`, 'url');
  }
  if (!isObject(body)) return bad(line, 'invalid_body', 'body must be a JSON object', 'body');
  if (body['stream'] === true) return bad(line, 'invalid_body', 'A row of a batch cannot be a stream', 'body.stream');
  return { row, line, customId, body, bytes: bodyBytes(bytes, rules.json) };
}

function parsed(bytes: Buffer, limits: JsonLimits): unknown {
  try {
    return readJson(bytes, limits, { repeated: false });
  } catch {
    return undefined;
  }
}

/** As they are: a number may have more digits than this program can hold. */
function bodyBytes(line: Buffer, limits: JsonLimits): Buffer {
  const scan = new JsonScan(line, limits, { members: MAX_MEMBERS });
  scan.run(line.length);
  const span = scan.members?.find(({ name }) => name === 'body');
  return span === undefined ? Buffer.from(JSON.stringify(parsedBody(line))) : line.subarray(span.start, span.end);
}

function parsedBody(line: Buffer): unknown {
  const value: unknown = JSON.parse(line.toString());
  return isObject(value) ? value['body'] : undefined;
}

const bad = (line: number, code: string, message: string, param: string | null = null): BadRow =>
  new BadRow({ code, message, param, line });
