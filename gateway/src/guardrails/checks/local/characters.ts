/** Classes of UTF-16 units. */

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

export const isAsciiLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

export const isAlphanumeric = (code: number): boolean => isDigit(code) || isAsciiLetter(code);

/** Letters of the scripts that write words apart. Others, such as Chinese, stand beside numbers without a space. */
const isOtherLetter = (code: number): boolean => code >= 0xc0 && code < 0x2000;

/** What a word consists of: next to it, nothing begins or ends. */
export const isWord = (code: number): boolean => isAlphanumeric(code) || code === 0x5f || isOtherLetter(code);

export const isWordAt = (text: string, at: number): boolean =>
  at >= 0 && at < text.length && isWord(text.charCodeAt(at));

export const isDigitAt = (text: string, at: number): boolean =>
  at >= 0 && at < text.length && isDigit(text.charCodeAt(at));

const JOINERS = '.-/';

/** Whether a number may begin there, rather than go on. */
export const beginsNumber = (text: string, at: number): boolean => {
  const before = text[at - 1];
  if (before === '+') return false;
  return before === undefined || !JOINERS.includes(before) || !isDigitAt(text, at - 2);
};

/** Whether a number may end there, rather than go on. */
export const endsNumber = (text: string, end: number): boolean => {
  if (isWordAt(text, end)) return false;
  const after = text[end];
  return after === undefined || !JOINERS.includes(after) || !isDigitAt(text, end + 1);
};
