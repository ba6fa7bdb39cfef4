/** What an object costs: its size, and the work of translating it. */
export interface Weight {
  /** Of the object as JSON, without status and managed fields. */
  readonly bytes: number;
  /** One for each value, and for each step of the program that a pattern may compile to: about a microsecond each. */
  readonly units: number;
}

/** Counted for each object besides its content: what the operator keeps for any object. */
export const OBJECT_BYTES = 512;

/** The member that holds a pattern in a query. */
const PATTERN = '$regex';
/** Characters of text that are read in the time of one value. */
const TEXT_PER_UNIT = 256;
/** The most that counted repetitions may multiply a pattern by: RE2 refuses more. */
const MAX_REPETITION = 1_000;

/** Depends on the content alone. Objects may be nested deeper than the stack allows, so that there is no recursion. */
export function weigh({
  metadata,
  spec,
}: {
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
}): Weight {
  const weight = { bytes: OBJECT_BYTES + metadata.name.length, units: 1 };
  const open: unknown[] = [spec];
  while (open.length > 0) {
    const value = open.pop();
    weight.units += 1;
    if (typeof value === 'string') addText(weight, value);
    else if (Array.isArray(value)) {
      weight.bytes += 2 + value.length;
      for (const item of value) open.push(item);
    } else if (typeof value === 'object' && value !== null) addMembers(weight, value, open);
    else weight.bytes += String(value).length;
  }
  return weight;
}

type Growing = { -readonly [M in keyof Weight]: Weight[M] };

function addText(weight: Growing, text: string): void {
  weight.bytes += Buffer.byteLength(text) + 2;
  weight.units += Math.floor(text.length / TEXT_PER_UNIT);
}

function addMembers(weight: Growing, value: object, open: unknown[]): void {
  weight.bytes += 2;
  for (const [name, member] of Object.entries(value)) {
    weight.bytes += Buffer.byteLength(name) + 4;
    if (name === PATTERN && typeof member === 'string') weight.units += programUnits(member);
    open.push(member);
  }
}

/** An upper bound of the steps of a pattern, from its text alone. */
function programUnits(pattern: string): number {
  let repetition = 1;
  for (const [, low = '0', high = low] of pattern.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g)) {
    repetition = Math.min(MAX_REPETITION, repetition * Math.max(1, Number(low), Number(high)));
  }
  return pattern.length * repetition;
}
