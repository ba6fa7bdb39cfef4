/** Takes secret values out of texts of somebody who has seen them. */

export interface Scrubber {
  /** The same buffer when there is nothing to take out. */
  bytes(bytes: Buffer): Buffer;
  text(text: string): string;
}

const CENSOR = '[redacted]';
/** Shorter values are no secrets, and stand in any text. */
const MIN_LENGTH = 4;
/** Below it the part of base64 that does not depend on its neighbours is too short to mean anything. */
const MIN_BASE64_LENGTH = 8;

/**
 * Finds the values as they are, and as JSON, URLs, forms, HTML and base64 write them, also in the middle of a longer base64
 * text such as that of basic authentication.
 */
export function compileScrubber(values: Iterable<string>): Scrubber {
  const spellings = new Set([...values].filter((value) => value.length >= MIN_LENGTH).flatMap(spellingsOf));
  // The longest first: what is left of a value after a part of it was taken out would no longer be found.
  const needles = [...spellings].map(toLatin1).toSorted((a, b) => b.length - a.length);
  const bytes = (given: Buffer): Buffer => {
    const text = given.toString('latin1'); // one character per byte: whatever is not taken out stays as it is
    const clean = needles.reduce((all, needle) => all.replaceAll(needle, CENSOR), text);
    return clean === text ? given : Buffer.from(clean, 'latin1');
  };
  return { bytes, text: (text) => bytes(Buffer.from(text)).toString() };
}

const toLatin1 = (text: string): string => Buffer.from(text).toString('latin1');

function spellingsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value.toWellFormed());
  return [
    value,
    json,
    json.replaceAll('/', '\\/'),
    ...[url, url.replaceAll('%20', '+')].flatMap((text) => [text, text.replace(/%../g, (code) => code.toLowerCase())]),
    value.replace(/[&<>"']/g, (sign) => HTML[sign] ?? sign),
    ...(value.length < MIN_BASE64_LENGTH ? [] : base64Of(value)),
  ];
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The characters of base64 that the value alone decides, for each place at which it may begin in a group of three bytes. */
function base64Of(value: string): readonly string[] {
  const cores = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
  return cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]);
}
