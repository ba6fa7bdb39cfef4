export {
  createPatternBudget,
  MAX_CONFIG_PATTERN_SIZE,
  MAX_PATTERN_LENGTH,
  MAX_PATTERN_SIZE,
  notText,
  type PatternBudget,
  type PatternRule,
  patternProblem,
  withPatterns,
} from './pattern.ts';
export { estimatePatternSize } from './pattern-size.ts';
