/** Where in a text personal data may begin: most characters are the business of no detector. */
import { SECRET_STARTS } from './detectors/secrets.ts';

/** Nothing that words consist of, as `isWord` has it. */
const NOT_IN_WORD = '(?<![0-9A-Za-z_\\u00c0-\\u1fff])';
/** A number, an address, a phone number, user and password of a URL, IPv6, a private key. */
const SIGNS = '[0-9@+(]|:(?=//|:)|-----BEGIN ';
/** IPv6 that begins with letters, and ids and IBANs: letters, perhaps in two groups, with digits behind them. */
const LETTERS = '[A-Fa-f]{1,4}:|[A-Za-z]{1,6}(?: [A-Z]{3})?[^0-9A-Za-z]{0,2}[0-9]';

const PLACE = new RegExp(`${SIGNS}|${NOT_IN_WORD}(?:${SECRET_STARTS}|${LETTERS})`, 'g');

/** What the pattern looks at before a place and behind it, in characters. */
const BEFORE = 1;
const BEHIND = 64;

/** The first place from `from` to before `until` at which a detector has to look; `until`: there is none. */
export function nextPlace(text: string, from: number, until: number): number {
  const begin = Math.max(0, from - BEFORE);
  const part = begin === 0 && until === text.length ? text : text.slice(begin, until + BEHIND);
  PLACE.lastIndex = from - begin;
  const found = PLACE.exec(part);
  return found === null ? until : Math.min(until, begin + found.index);
}
