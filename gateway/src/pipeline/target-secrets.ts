/** The secrets of a target, as they are looked for in names and other short texts of records. */
import type { Scrubber } from '../lib/scrub.ts';
import type { PreparedTarget } from '../providers/engine/index.ts';
import { isTextCredential, knownScrubber } from '../record/index.ts';

const SCHEME = /^[a-z][\w-]*\s+(?=\S+$)/i;
const ofTexts = new WeakMap<PreparedTarget, Scrubber>();
/** In names and other short texts, shorter secrets may stand by chance. */
const MIN_TEXT_LENGTH = 8;
const MIN_TEXT_HEADER_LENGTH = 16;

/** Takes the secrets of the target out of names and other short texts; made once for each target of a Snapshot. */
export function textScrubberOf(target: PreparedTarget): Scrubber {
  const found = ofTexts.get(target);
  if (found !== undefined) return found;
  const headers = [...target.customHeaders].map(([name, value]) => [name, value.reveal()] as const);
  const own = headers.filter(
    ([name, value]) => value.length >= MIN_TEXT_HEADER_LENGTH || isTextCredential(name, value),
  );
  const values = [
    ...target.secrets.map((secret) => secret.reveal()),
    ...own.flatMap(([, value]) => [value, value.replace(SCHEME, '')]),
  ];
  const made = knownScrubber([...new Set(values.filter((value) => value.length >= MIN_TEXT_LENGTH))]);
  ofTexts.set(target, made);
  return made;
}
