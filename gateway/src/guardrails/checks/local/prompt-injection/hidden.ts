/** Text that people do not see, and text that is written in base64. */

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

const BASE64 = /[A-Za-z0-9+/_-]{24,4096}={0,2}/g;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\s]+$/u;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Texts that are written in base64, of those that decode to one; at most `max`. */
export function decodedTexts(text: string, max: number): string[] {
  const texts: string[] = [];
  for (const [snippet] of text.matchAll(BASE64)) {
    if (texts.length >= max) break;
    const decoded = decode(snippet);
    if (decoded !== undefined) texts.push(decoded);
  }
  return texts;
}

function decode(snippet: string): string | undefined {
  try {
    const text = UTF8.decode(Buffer.from(snippet, 'base64'));
    return PRINTABLE.test(text) && /\s/.test(text) ? text : undefined;
  } catch {
    return undefined; // no UTF-8
  }
}
