export {
  atRow,
  type BatchRow,
  invalidRow,
  MAX_ROW_BYTES,
  type RowPlace,
  type RowRules,
  readRows,
  toRow,
} from './input.ts';
export { outputRow, type RowError, type RowNames, type RowOutcome } from './output.ts';
