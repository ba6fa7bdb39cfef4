/** Bounds of what clients name freely. They are checked before a schema visits each entry, and end at the first one too many. */

const MAX_HEADERS = 100;
/** Of names and values together, as of a request. */
const MAX_HEADER_CHARS = 32 * 1024;
/** Of one header. */
const MAX_VALUES = 64;
const MAX_METADATA = 256;
/** Of names and texts together. */
const MAX_METADATA_CHARS = 64 * 1024;

/** Why headers are refused before they are read; undefined: a schema may read them, and says what else is wrong. */
export function headersProblem(given: unknown): string | undefined {
  let count = 0;
  let chars = 0;
  for (const [name, value] of entriesOf(given)) {
    count += 1;
    if (count > MAX_HEADERS) return `at most ${MAX_HEADERS} headers`;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.length > MAX_VALUES) return `at most ${MAX_VALUES} values of a header`;
    chars += name.length + values.reduce<number>((sum, each) => sum + charsOf(each), 0);
    if (chars > MAX_HEADER_CHARS) return `at most ${MAX_HEADER_CHARS} characters together`;
  }
  return undefined;
}

export function metadataProblem(given: unknown): string | undefined {
  let count = 0;
  let chars = 0;
  for (const [name, value] of entriesOf(given)) {
    count += 1;
    if (count > MAX_METADATA) return `at most ${MAX_METADATA} members`;
    chars += name.length + charsOf(value);
    if (chars > MAX_METADATA_CHARS) return `at most ${MAX_METADATA_CHARS} characters together`;
  }
  return undefined;
}

/** None of what is no object. */
function* entriesOf(given: unknown): Iterable<readonly [name: string, value: unknown]> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return;
  const owner = given as Readonly<Record<string, unknown>>; // parsed JSON, without members that are inherited
  for (const name in owner) yield [name, owner[name]];
}

/** As many as the longest number has, for what is no text. */
const MAX_SCALAR_CHARS = 32;

const charsOf = (value: unknown): number => (typeof value === 'string' ? value.length : MAX_SCALAR_CHARS);
