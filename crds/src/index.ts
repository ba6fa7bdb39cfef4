export { parseJson } from './lib/parse-json.ts';
export { assertNever, err, isObject, ok, type Result } from './lib/result.ts';
export { formatPath, fromZodError, type Issue } from './schema/index.ts';
