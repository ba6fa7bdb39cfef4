/** Headers whose values no log shows: docs/behaviour/request-logs.md#masking. */
import { pattern, setList } from '../../schema/index.ts';

const MAX_NAMES = 64;

export const headersToMask = (description: string) =>
  setList(pattern(/^[a-z0-9!#$%&'*+.^_`|~-]+$/, 'a header name in lower case', 256), description, MAX_NAMES);
