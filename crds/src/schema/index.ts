import './hints.ts';

export {
  atomicList,
  dateTime,
  decimal,
  factor,
  flag,
  HTTP_URL,
  httpUrl,
  int,
  MAX_NAME,
  MAX_TEXT,
  mapList,
  namespaceName,
  objectName,
  opaque,
  PATTERN_NAMES,
  pattern,
  price,
  setList,
  stringMap,
  text,
} from './fields.ts';
export { formatPath, fromZodError, type Issue } from './issue.ts';
export { type Rule, ruleRegistry, withCelRules, withRules } from './rules.ts';
export { unwrapSchema } from './shape.ts';
