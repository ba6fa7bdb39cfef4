export { formatPath, fromZodError, type Issue } from './issue.ts';
export { parseJson } from './parse-json.ts';
export { assertNever, err, isObject, ok, type Result } from './result.ts';
