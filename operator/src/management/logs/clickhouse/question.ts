/** A statement of ClickHouse with its parameters: no value ever becomes a part of its language. */

type ParamType = 'String' | 'Float64' | 'Int64' | 'UInt32' | 'Array(String)' | 'Array(UInt16)';
type ParamValue = string | number | readonly string[] | readonly number[];

/** As late as a time of the tables can be: the year 2299. */
const LAST_MS = 10_382_169_599_000;

/** A server takes 128 KiB in a parameter (`http_max_field_value_size`), in which a character may be escaped. */
const PARAM_BYTES = 120_000;
const ESCAPED = 2;
/** Quotes and a comma. */
const SEPARATORS = 3;
/** In no text of PostgreSQL, nor of a row. */
const NUL = '\0';

export class Question {
  readonly params: Record<string, ParamValue> = {};
  #count = 0;

  /** The placeholder of a value. */
  param(value: ParamValue, type: ParamType): string {
    this.#count += 1;
    const name = `p${this.#count}`;
    this.params[name] = value;
    return `{${name}:${type}}`;
  }

  /** A time in Unix time in ms. */
  time(ms: number): string {
    const bounded = Math.trunc(Math.min(Math.max(ms, 0), LAST_MS));
    return `fromUnixTimestamp64Milli(${this.param(bounded, 'Int64')}, 'UTC')`;
  }

  /** Pairs as a set that two columns may be in. */
  pairs(pairs: readonly (readonly [string, string])[]): string {
    const [first, second] = [0, 1].map((at) => this.texts(pairs.map((pair) => pair[at] ?? '')));
    return `(select pair.1, pair.2 from (select arrayJoin(arrayZip(${first}, ${second})) as pair))`;
  }

  /**
   * A statement with a row for each place in the columns, which is a tuple of texts without NUL. Thousands of them are taken apart while
   * the statement runs: its analysis would copy an array of them over and over.
   */
  table(columns: readonly (readonly string[])[], name: string): string {
    if (columns[0]?.length === 0) return `select (${columns.map(() => "''").join(', ')}) as ${name} where false`;
    const separator = this.param(NUL, 'String');
    const arrays = columns.map((values) => {
      const parts = chunksOf(values).map(
        (chunk) => `splitByChar(${separator}, materialize(${this.param(chunk.join(NUL), 'String')}))`,
      );
      return parts.length === 1 ? parts[0] : `arrayConcat(${parts.join(', ')})`;
    });
    return `select arrayJoin(arrayZip(${arrays.join(', ')})) as ${name}`;
  }

  /** An array in as many parameters as it needs. */
  texts(values: readonly string[]): string {
    const chunks = values.length === 0 ? [[]] : chunksOf(values);
    const params = chunks.map((chunk) => this.param(chunk, 'Array(String)'));
    return params.length === 1 ? String(params[0]) : `arrayConcat(${params.join(', ')})`;
  }
}

/** In each as many as a parameter takes. */
function chunksOf(values: readonly string[]): readonly (readonly string[])[] {
  const chunks: string[][] = [];
  let bytes = PARAM_BYTES;
  for (const value of values) {
    const size = ESCAPED * Buffer.byteLength(value) + SEPARATORS;
    if (bytes + size > PARAM_BYTES) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(value);
    bytes += size;
  }
  return chunks;
}
