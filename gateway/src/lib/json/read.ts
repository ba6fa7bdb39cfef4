import { DEFAULT_JSON_LIMITS, type JsonLimits } from './limits.ts';
import { scanJson } from './scan.ts';

/** Shorter text cannot hold enough of anything to hurt. */
const HARMLESS = 1024;

/**
 * `JSON.parse` for text of others: an upstream's answer or event, a header. Throws an Error when the text is no JSON or is
 * beyond the limits; its message quotes the text, so it is nothing for a log.
 */
export function readJson(text: string | Buffer, limits: JsonLimits = DEFAULT_JSON_LIMITS): unknown {
  if (text.length > HARMLESS) {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    const problem = scanJson(bytes, limits, { repeated: true });
    if (problem !== undefined && problem.kind !== 'malformed') throw new RangeError(`JSON: too much (${problem.kind})`);
  }
  return JSON.parse(typeof text === 'string' ? text : text.toString('utf8'));
}
