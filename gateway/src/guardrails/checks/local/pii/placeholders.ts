/**
 * Placeholders such as [EMAIL_ADDRESS_1]: the same for the same value of a request. Numbers that occur in the texts already
 * are never given, so that no placeholder of somebody else is taken for one of ours.
 */
import { PII_CATEGORIES, type PiiCategory } from '@gatehouse/crds/guardrails';
import type { GivenPlaceholders } from '../../../given-placeholders.ts';

const PLACEHOLDER = new RegExp(`\\[(${PII_CATEGORIES.join('|')})_(\\d{1,9})\\]`, 'y');
/** Values with a placeholder of their own in one run of the check. */
export const MAX_VALUES = 10_000;
/** Highest number of a placeholder. */
const MAX_NUMBER = 2 * MAX_VALUES;
/** Places and values that are looked at between two looks at the clock. */
const CHUNK = 1_024;

/** Numbers that are not given, by category. */
export type TakenNumbers = ReadonlyMap<string, ReadonlySet<number>>;

export interface Placeholders {
  /** The placeholder of a value; without a number, and so of no value alone, where there are too many. */
  of(category: PiiCategory, value: string): string;
  /** What was replaced, by placeholder. */
  readonly values: ReadonlyMap<string, string>;
  /** Values have been replaced that have no placeholder of their own. */
  readonly isFull: boolean;
}

/** `given`: those of the pieces of the text that were checked before. */
export function createPlaceholders(taken: TakenNumbers, given?: GivenPlaceholders): Placeholders {
  return new NumberedPlaceholders(taken, given);
}

class NumberedPlaceholders implements Placeholders {
  readonly values = new Map<string, string>();
  isFull = false;
  readonly #taken: TakenNumbers;
  readonly #given: GivenPlaceholders | undefined;
  readonly #known = new Map<string, string>();
  readonly #next = new Map<PiiCategory, number>();

  constructor(taken: TakenNumbers, given: GivenPlaceholders | undefined) {
    this.#taken = taken;
    this.#given = given;
  }

  of(category: PiiCategory, value: string): string {
    const key = `${category} ${value}`;
    const known = this.#known.get(key) ?? this.#given?.of(category, value);
    if (known !== undefined) return known;
    const placeholder = this.#known.size < MAX_VALUES ? this.#number(category, value) : undefined;
    if (placeholder === undefined) {
      this.isFull = true;
      return `[${category}]`;
    }
    this.#known.set(key, placeholder);
    this.values.set(placeholder, value);
    return placeholder;
  }

  /** Undefined: there is no number left. */
  #number(category: PiiCategory, value: string): string | undefined {
    const taken = this.#taken.get(category);
    let number = this.#next.get(category) ?? (this.#given?.last(category) ?? 0) + 1;
    while (taken?.has(number) === true) number += 1;
    this.#next.set(category, number + 1);
    if (number > MAX_NUMBER) return undefined;
    const placeholder = `[${category}_${number}]`;
    this.#given?.give(category, value, { placeholder, number });
    return placeholder;
  }
}

/** The numbers of placeholders that occur anywhere in a JSON value, as names or in texts; long bodies in slices. */
export async function takenNumbers(value: unknown, turn: () => Promise<void>): Promise<TakenNumbers> {
  const taken = new Map<string, Set<number>>();
  let looked = 0;
  const look = async (text: string): Promise<void> => {
    for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) {
      if (++looked % CHUNK === 0) await turn();
      PLACEHOLDER.lastIndex = at;
      const [, category = '', digits] = PLACEHOLDER.exec(text) ?? [];
      if (Number(digits) <= MAX_NUMBER) taken.set(category, (taken.get(category) ?? new Set()).add(Number(digits)));
    }
  };
  const pending: Iterator<unknown>[] = [[value].values()];
  for (let top = pending.at(-1); top !== undefined; top = pending.at(-1)) {
    if (++looked % CHUNK === 0) await turn();
    const next = top.next();
    if (next.done === true) pending.pop();
    else if (typeof next.value === 'string') await look(next.value);
    else if (typeof next.value === 'object' && next.value !== null) pending.push(membersOf(next.value));
  }
  return taken;
}

/** Names and values of an object, or the items of a list. */
function* membersOf(value: object): Generator<unknown> {
  if (Array.isArray(value)) {
    yield* value;
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    yield name;
    yield member;
  }
}
