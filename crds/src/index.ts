export { formatPath, fromZodError, type Issue } from './issue.ts';
export { assertNever, err, isObject, ok, type Result } from './result.ts';
