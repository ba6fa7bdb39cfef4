import type { z } from 'zod';

/** One validation problem of a document. `unsupported`: valid, but not served by this version. */
export interface Issue {
  readonly code: 'invalid' | 'unsupported';
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** All issues of a zod error, paths flattened to strings and numbers. */
export function fromZodError(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    if (issue.code !== 'unrecognized_keys') return [{ code: 'invalid' as const, path, message: issue.message }];
    return issue.keys.map((key) => ({ code: 'invalid' as const, path: [...path, key], message: 'unknown field' }));
  });
}

/** A path in the form of Kubernetes: `spec.targets[0].weight`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((out, part) => {
    if (typeof part === 'number') return `${out}[${part}]`;
    return out === '' ? part : `${out}.${part}`;
  }, '');
}
