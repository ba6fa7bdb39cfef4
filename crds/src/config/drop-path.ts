import { err, ok, type Result } from '../lib/result.ts';

/** One step of a `dropParams` path: a member name, a list index, or every item of a list. */
export type DropStep =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'each' };

/** Steps of one path: bounds the recursion of removing. */
const MAX_STEPS = 16;
const SEGMENT = /^([^.[\]]+)((?:\[(?:\d{1,6}|\*)\])*)$/;

/** Parses `a.b`, `a[2]`, `a[*].b`. Names such as `__proto__` are ordinary member names. */
export function parseDropPath(path: string): Result<readonly DropStep[], string> {
  const steps: DropStep[] = [];
  for (const segment of path.split('.')) {
    const match = SEGMENT.exec(segment);
    if (match === null) return err('expected member names joined by dots, with [N] or [*] for lists');
    steps.push({ kind: 'member', name: match[1] ?? '' });
    for (const [, index] of (match[2] ?? '').matchAll(/\[(\d+|\*)\]/g)) {
      steps.push(index === '*' ? { kind: 'each' } : { kind: 'index', index: Number(index) });
    }
  }
  return steps.length <= MAX_STEPS ? ok(steps) : err(`at most ${MAX_STEPS} steps`);
}
