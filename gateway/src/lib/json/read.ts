import { parseJson } from '@gatehouse/crds';
import { DEFAULT_JSON_LIMITS, type JsonLimits } from './limits.ts';
import { JsonScan } from './scan.ts';

export interface ReadOptions {
  /** Allows a name twice in an object, as some upstreams send it. */
  readonly repeated?: boolean;
}

/** An object has two members of the same name; parsers disagree about its meaning. */
export class RepeatedNameError extends Error {
  override readonly name = 'RepeatedNameError';
}

/** Shorter text cannot exceed any limit. */
const HARMLESS = 1024;

/**
 * `parseJson` within limits: an upstream's answer or event, a header. Throws an Error when the text is no JSON or is
 * beyond the limits; its message quotes the text and must not be logged.
 */
export function readJson(
  text: string | Buffer,
  limits: JsonLimits = DEFAULT_JSON_LIMITS,
  { repeated = true }: ReadOptions = {},
): unknown {
  if (text.length > HARMLESS || !repeated) {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    const scan = new JsonScan(bytes, limits, { repeated });
    scan.run(bytes.length);
    const { problem } = scan;
    if (problem?.kind === 'duplicate') throw new RepeatedNameError();
    if (problem !== undefined && problem.kind !== 'malformed') throw new RangeError(`JSON: too much (${problem.kind})`);
    if (problem === undefined) return parseJson(toText(text), scan.nameKind);
  }
  return parseJson(toText(text));
}

const toText = (text: string | Buffer): string => (typeof text === 'string' ? text : text.toString('utf8'));
