/** The output of a job, which is in a bucket, as rows of OpenAI's output file. */
import type { Result } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { LineTooLong, linesOf } from '../../../lib/lines.ts';
import { outputRow, type RowOutcome } from '../../../wire/batch-rows/index.ts';
import type { Call, ProcedureTools } from '../../contract.ts';
import { invalidResponse, parsedLine } from '../../engine/index.ts';
import { objectId, type StoreRules } from './object-place.ts';

/** What a line says; the error says why it cannot be read. */
export interface OutputLine {
  readonly customId: string;
  /** The provider's own id of the row; absent: its place among the rows. */
  readonly id?: string | undefined;
  readonly outcome: RowOutcome;
}

interface OutputOptions {
  readonly call: Call;
  readonly tools: Pick<ProcedureTools, 'json'>;
  read(line: unknown): Result<OutputLine, string>;
  /** The id of a row; `own`: the provider's, or its number from 1. */
  idOf(own: string): string;
}

/** Rows hold their input and their output. Units: bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A line at a time. Throws UPSTREAM_INVALID_RESPONSE with the number of the line that cannot be read. */
export async function* outputRows(
  content: AsyncIterable<Buffer>,
  { call, tools, read, idOf }: OutputOptions,
): AsyncGenerator<Buffer> {
  let row = 0;
  const invalid = (problem: string): AppError => invalidResponse(call, `line ${row} of the output: ${problem}`);
  try {
    for await (const line of linesOf(content, MAX_LINE_BYTES)) {
      if (line.length === 0) continue;
      row += 1;
      const said = read(parsedLine(line, tools.json));
      if (!said.ok) throw invalid(said.error);
      const { customId, id = String(row), outcome } = said.value;
      yield outputRow({ id: idOf(id), customId }, outcome);
    }
  } catch (error) {
    if (error instanceof LineTooLong) throw invalid(`it has more than ${MAX_LINE_BYTES} bytes`);
    throw error;
  }
}

/** Of an object as its service names it: what looks encoded in it is a part of the name. Throws UPSTREAM_INVALID_RESPONSE. */
export function idOfUri(uri: string, rules: StoreRules, { provider }: Call): string {
  const start = `${rules.scheme}://`;
  const [, bucket = '', key = ''] = /^([^/]+)\/(.+)$/s.exec(uri.startsWith(start) ? uri.slice(start.length) : '') ?? [];
  if (key !== '') return objectId(rules, { bucket, key });
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider });
}
