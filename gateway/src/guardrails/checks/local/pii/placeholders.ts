/**
 * Placeholders such as [EMAIL_ADDRESS_1]: the same for the same value of a request. Numbers that occur in the texts already
 * are never given, so that no placeholder of somebody else is taken for one of ours.
 */
import { PII_CATEGORIES, type PiiCategory } from '@gatehouse/crds/guardrails';
import type { GivenPlaceholders } from '../../../given-placeholders.ts';

const PLACEHOLDER = new RegExp(`\\[(${PII_CATEGORIES.join('|')})_(\\d{1,9})\\]`, 'g');

export interface Placeholders {
  /** The placeholder of a value. */
  of(category: PiiCategory, value: string): string;
  /** What was replaced, by placeholder. */
  readonly values: ReadonlyMap<string, string>;
}

/** `taken` are not given. `given`: those of the pieces of the text that were checked before. */
export function createPlaceholders(taken: ReadonlySet<string>, given?: GivenPlaceholders): Placeholders {
  const values = new Map<string, string>();
  const known = new Map<string, string>();
  const numbers = new Map<PiiCategory, number>();
  const next = (category: PiiCategory, value: string): string => {
    for (let number = numbers.get(category) ?? (given?.last(category) ?? 0) + 1; ; number++) {
      const placeholder = `[${category}_${number}]`;
      if (taken.has(placeholder)) continue;
      numbers.set(category, number + 1);
      given?.give(category, value, { placeholder, number });
      return placeholder;
    }
  };
  return {
    of: (category, value) => {
      const key = `${category} ${value}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const placeholder = given?.of(category, value) ?? next(category, value);
      known.set(key, placeholder);
      values.set(placeholder, value);
      return placeholder;
    },
    values,
  };
}

/** The placeholders that occur anywhere in a JSON value, as names or in texts; long bodies in slices. */
export async function placeholdersIn(value: unknown, turn: () => Promise<void>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'object' && next !== null) {
      for (const [key, member] of Object.entries(next)) pending.push(key, member);
    } else if (typeof next === 'string') {
      for (const [placeholder] of next.matchAll(PLACEHOLDER)) found.add(placeholder);
      await turn();
    }
  }
  return found;
}
