/** Looks at the whole input before the first row is asked for, so that a broken file costs nothing. */
import type { BatchProblem } from '../records.ts';
import { BadRow, type InputRow } from './input-rows.ts';

/** Problems that are reported. */
const MAX_PROBLEMS = 100;

export interface CheckedInput {
  readonly total: number;
  readonly problems: readonly BatchProblem[];
}

export async function checkInput(rows: AsyncIterable<InputRow | BadRow>): Promise<CheckedInput> {
  const problems: BatchProblem[] = [];
  const ids = new Set<string>();
  let total = 0;
  try {
    for await (const row of rows) {
      total += 1;
      if (row instanceof BadRow) problems.push(row.problem);
      else if (ids.has(row.customId)) problems.push(repeated(row));
      else ids.add(row.customId);
      if (problems.length >= MAX_PROBLEMS) break;
    }
  } catch (error) {
    if (!(error instanceof BadRow)) throw error;
    problems.push(error.problem);
  }
  if (total === 0 && problems.length === 0) {
    problems.push({ code: 'empty_file', message: 'The input file has no rows', param: null, line: null });
  }
  return { total, problems };
}

const repeated = ({ line }: InputRow): BatchProblem => ({
  code: 'duplicate_custom_id',
  message: 'Another row has the same custom_id',
  param: 'custom_id',
  line,
});
