/** Text that people do not see, and text that is written in base64. */
import { isAlphanumeric } from '../characters.ts';

/** Tag characters mirror ASCII and are shown nowhere. */
const TAGS = /\u{e0001}|[\u{e0020}-\u{e007e}]/gu;
const FIRST_TAG = 0xe0000;
/** Zero-width characters and changes of direction between letters; scripts that need joiners have one here and there. */
const INVISIBLE = /(?<=[A-Za-z])[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+(?=[A-Za-z])/g;

/** What is written in tag characters. */
export function taggedText(text: string): string {
  return (text.match(TAGS) ?? []).map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - FIRST_TAG)).join('');
}

/** How often something invisible stands between two letters. */
export const countInvisible = (text: string): number => text.match(INVISIBLE)?.length ?? 0;

/** Shortest text in base64 that is read, in characters. */
const MIN_BASE64 = 24;
const BASE64 = new RegExp(`[A-Za-z0-9+/_-]{${MIN_BASE64},4096}={0,2}`, 'g');
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\s]+$/u;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Texts that are written in base64, of those that decode to one; at most `max`. */
export function decodedTexts(text: string, max: number): string[] {
  const texts: string[] = [];
  if (!mayHaveBase64(text)) return texts;
  for (const [snippet] of text.matchAll(BASE64)) {
    if (texts.length >= max) break;
    const decoded = decode(snippet);
    if (decoded !== undefined) texts.push(decoded);
  }
  return texts;
}

/** Whether so many characters of base64 follow each other: words are shorter, so that few characters are looked at. */
function mayHaveBase64(text: string): boolean {
  for (let last = MIN_BASE64 - 1; last < text.length; ) {
    let at = last;
    while (at > last - MIN_BASE64 && isBase64(text.charCodeAt(at))) at -= 1;
    if (at === last - MIN_BASE64) return true;
    last = at + MIN_BASE64;
  }
  return false;
}

/** In either alphabet: RFC 4648, 4 and 5. */
const isBase64 = (code: number): boolean =>
  isAlphanumeric(code) || code === 0x2b || code === 0x2d || code === 0x2f || code === 0x5f;

function decode(snippet: string): string | undefined {
  try {
    const text = UTF8.decode(Buffer.from(snippet, 'base64'));
    return PRINTABLE.test(text) && /\s/.test(text) ? text : undefined;
  } catch {
    return undefined; // no UTF-8
  }
}
