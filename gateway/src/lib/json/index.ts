export { largeMembers, lazyObject, mayHold, mergeObjects, quoted, writeJson } from './lazy.ts';
export {
  DEFAULT_JSON_LIMITS,
  HEADER_JSON_LIMITS,
  type JsonLimits,
  type JsonProblem,
  MAX_NAME_BYTES,
  MAX_NUMBER_BYTES,
} from './limits.ts';
export { numbersIn, type ToldNumbers, textWith } from './numbers.ts';
export { RepeatedNameError, readJson } from './read.ts';
export { JsonScan, type MemberSpan } from './scan.ts';
