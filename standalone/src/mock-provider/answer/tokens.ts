// The rule of thumb for English text; exact counts would tie the mock to one vendor's tokenizer.
const CHARACTERS_PER_TOKEN = 4;
// A stream of a very long answer has at most this many pieces, so that its events stay few.
const MAX_PIECES = 1_000;
const MAX_SLICES = 16_384;
const LONG_TEXT_CHARACTERS = 4_096;

/** Tokens of a text of so many UTF-16 code units: a quarter of them, rounded up. */
export function countTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** The longest start of the text that has at most so many tokens; a surrogate pair is never split. */
export function takeTokens(text: string, maxTokens: number): string {
  return text.slice(0, wholeCharacters(text, maxTokens * CHARACTERS_PER_TOKEN));
}

/** The text in the pieces a stream sends: words, or equal slices when it is long. Joined, they are the text. */
export function splitPieces(text: string): readonly string[] {
  if (text.length <= LONG_TEXT_CHARACTERS) return text.match(/\S{1,16}\s*|\s+/gu) ?? [];
  return splitEvenly(text, Math.ceil(text.length / MAX_PIECES));
}

/** Slices of about this many characters, of more in a very long text, for texts without words such as JSON arguments. */
export function splitEvenly(text: string, characters: number): readonly string[] {
  const length = Math.max(characters, 2, Math.ceil(text.length / MAX_SLICES));
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = wholeCharacters(text, start + length);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function wholeCharacters(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return isHighSurrogate ? end - 1 : end;
}
