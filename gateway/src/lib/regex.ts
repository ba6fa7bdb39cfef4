import { RE2JS } from 're2js';

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. Linear time in the length of the text. */
  test(text: string): boolean;
}

/** A user's pattern on RE2. Throws when RE2 cannot express it: check with `patternProblem` first. */
export function compileRegex(pattern: string): Pattern {
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.matcher(text).find() };
}
