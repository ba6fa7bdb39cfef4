import { formatNumber, type Verdict } from '../table.ts';

/** A target that is met by as much or more. `phrase` formats the number. */
export function verdictAtLeast(measured: number, target: number, phrase: (number: string) => string): Verdict {
  return {
    target: `≥ ${phrase(formatNumber(target))}`,
    measured: phrase(formatNumber(measured)),
    met: measured >= target,
  };
}

/** A target that is met by as much or less. */
export function verdictAtMost(measured: number, target: number, phrase: (number: string) => string): Verdict {
  return {
    target: `≤ ${phrase(formatNumber(target))}`,
    measured: phrase(formatNumber(measured)),
    met: measured <= target,
  };
}

/** A verdict on what is hoped for beyond the goal. */
export const stretch = (verdict: Verdict): Verdict => ({ ...verdict, target: `${verdict.target} (stretch)` });
