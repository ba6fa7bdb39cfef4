/** Bounds what one answer takes in memory, before it is built. A request is answered synchronously, so one count is enough. */

/** 16 MiB of text, the most that `x-mock-response-bytes` asks for, and what stands around it. */
export const MAX_ANSWER_CHARACTERS = 20 * 1024 * 1024;

const NUMBER_CHARACTERS = 16; // about those of a fraction
const INTEGER_CHARACTERS = 4;

let left = Number.POSITIVE_INFINITY;

/** The request asks for more work than the mock does. The message says which. */
export class RequestTooLarge extends Error {}

class AnswerTooLarge extends RequestTooLarge {
  constructor() {
    super(
      `the answer would have more than ${MAX_ANSWER_CHARACTERS} characters: ask for fewer choices, inputs, tools or bytes`,
    );
  }
}

/**
 * Runs `build`, which may make JSON of so many UTF-16 code units. An enclosing call does not count it.
 * Errors: throws RequestTooLarge where `build` makes more.
 */
export function boundAnswer<T>(characters: number, build: () => T): { readonly value: T; readonly made: number } {
  const outer = left;
  left = characters;
  try {
    const value = build();
    return { value, made: characters - left };
  } finally {
    left = outer;
  }
}

/** Errors: throws RequestTooLarge where so many code units are more than what is left; they are not counted as made. */
export function admit(characters: number): void {
  if (characters > left) throw new AnswerTooLarge();
}

/** The value as JSON, which counts as part of the answer. Errors: throws RequestTooLarge, before the text is made. */
export function toJson(value: unknown): string {
  const text = toJsonInside(value);
  left -= text.length;
  return text;
}

/** The same for JSON that will stand in other JSON, which is counted then. */
export function toJsonInside(value: unknown): string {
  if (left !== Number.POSITIVE_INFINITY) measure(value, left);
  const text = JSON.stringify(value);
  admit(text.length);
  return text;
}

/** About how many code units remain of `room` beside the JSON of the value; a value that stands in it twice counts twice. */
function measure(value: unknown, room: number): number {
  let rest = room - sizeOf(value);
  if (rest < 0) throw new AnswerTooLarge();
  if (typeof value !== 'object' || value === null) return rest;
  if (Array.isArray(value)) {
    for (const item of value) rest = measure(item, rest - 1);
    return rest;
  }
  for (const [key, member] of Object.entries(value)) rest = measure(member, rest - key.length);
  return rest;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'number') return Number.isInteger(value) ? INTEGER_CHARACTERS : NUMBER_CHARACTERS;
  return 2;
}
