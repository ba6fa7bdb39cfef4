import { parseJson } from '@gatehouse/crds';
import { DEFAULT_JSON_LIMITS, type JsonLimits } from './limits.ts';
import { JsonScan } from './scan.ts';

export interface ReadOptions {
  /** A name may stand twice in an object, as in an answer of an upstream: what that means is the upstream's business. */
  readonly repeated?: boolean;
}

/** An object has two members of the same name, so what it means depends on who reads it. */
export class RepeatedNameError extends Error {
  override readonly name = 'RepeatedNameError';
}

/** Shorter text cannot hold enough of anything to hurt. */
const HARMLESS = 1024;

/**
 * `parseJson` within limits: an upstream's answer or event, a header. Throws an Error when the text is no JSON or is
 * beyond the limits; its message quotes the text, so it is nothing for a log.
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
