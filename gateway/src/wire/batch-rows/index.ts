export {
  atRow,
  type BatchRow,
  invalidRow,
  MAX_ROW_BYTES,
  type ReadLine,
  type RowPlace,
  type RowRules,
  readLines,
  readRows,
  toRow,
} from './input.ts';
export { outputRow, outputRowId, type RowError, type RowNames, type RowOutcome } from './output.ts';
