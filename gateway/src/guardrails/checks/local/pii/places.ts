/** Where in a text personal data may begin: most characters are the business of no detector. */
import { SECRET_STARTS } from './detectors/secrets.ts';

/** Nothing that words consist of, as `isWord` has it. */
const NOT_IN_WORD = '(?<![0-9A-Za-z_\\u00c0-\\u1fff])';
/** A number, an address, a phone number, user and password of a URL, IPv6, a private key. */
const SIGNS = '[0-9@+(]|:(?=//|:)|-----BEGIN ';
/** IPv6 that begins with letters, and ids and IBANs: letters, perhaps in two groups, with digits behind them. */
const LETTERS = '[A-Fa-f]{1,4}:|[A-Za-z]{1,6}(?: [A-Z]{3})?[^0-9A-Za-z]{0,2}[0-9]';

const PLACE = new RegExp(`${SIGNS}|${NOT_IN_WORD}(?:${SECRET_STARTS}|${LETTERS})`, 'g');
/** All places but those of secrets have one of these, or begin before one. */
const SIGN = /[0-9@+(:]/;
const SECRET_PLACE = new RegExp(`-----BEGIN |${NOT_IN_WORD}(?:${SECRET_STARTS})`);
const NON_ASCII = /[\u0080-\uffff]/;
/** Longest text that is looked at without a pause, in characters. */
const MAX_AT_ONCE = 16_384;

/** Whether the text is known to have no place at all, as most texts without numbers have none. */
export const hasNoPlace = (text: string): boolean =>
  text.length <= MAX_AT_ONCE && !SIGN.test(text) && !SECRET_PLACE.test(text) && !NON_ASCII.test(text);

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
