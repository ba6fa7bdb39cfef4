import { parseJson } from '@gatehouse/crds';
import { DEFAULT_JSON_LIMITS, type JsonLimits } from './limits.ts';
import { JsonScan } from './scan.ts';

/** Shorter text cannot hold enough of anything to hurt. */
const HARMLESS = 1024;

/**
 * `parseJson` within limits: an upstream's answer or event, a header. Throws an Error when the text is no JSON or is
 * beyond the limits; its message quotes the text, so it is nothing for a log.
 */
export function readJson(text: string | Buffer, limits: JsonLimits = DEFAULT_JSON_LIMITS): unknown {
  if (text.length > HARMLESS) {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    const scan = new JsonScan(bytes, limits, { repeated: true });
    scan.run(bytes.length);
    const { problem } = scan;
    if (problem !== undefined && problem.kind !== 'malformed') throw new RangeError(`JSON: too much (${problem.kind})`);
    if (problem === undefined) return parseJson(toText(text), scan.nameKind);
  }
  return parseJson(toText(text));
}

const toText = (text: string | Buffer): string => (typeof text === 'string' ? text : text.toString('utf8'));
