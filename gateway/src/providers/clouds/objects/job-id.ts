/** Ids of jobs and objects as clients send them: in a path, or in a body. */
import { AppError } from '../../../errors/index.ts';

/** Clients encode an id for a path once more, or not. */
const MAX_DECODINGS = 2;

/** The text after as many decodings as it takes to begin as wanted; undefined: it never does. */
export function repeatedlyDecoded(text: string, isWanted: (text: string) => boolean): string | undefined {
  let decoded = text;
  for (let left = MAX_DECODINGS; !isWanted(decoded); left -= 1) {
    if (left === 0 || !decoded.includes('%')) return undefined;
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      return undefined;
    }
  }
  return decoded;
}

/** The id of a job that has the form of `pattern`. Throws PARAMETER_INVALID. */
export function parseJobId(text: string, pattern: RegExp, param: string): string {
  const id = repeatedlyDecoded(text, (given) => pattern.test(given));
  if (id !== undefined) return id;
  throw new AppError('PARAMETER_INVALID', { param, detail: `${param} must be the id of a job` });
}
