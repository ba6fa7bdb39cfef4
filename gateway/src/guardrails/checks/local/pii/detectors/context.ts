/** How far around a number the words stand that say what it is, in characters. */
const BEFORE = 48;
const AFTER = 24;

/** Whether one of the words stands shortly before the number, or after it in the same sentence. */
export function hasWordBeside(text: string, start: number, end: number, words: RegExp): boolean {
  if (words.test(text.slice(Math.max(0, start - BEFORE), start))) return true;
  const after = text.slice(end, end + AFTER);
  const stop = after.search(/[.,;\n]/);
  return words.test(stop < 0 ? after : after.slice(0, stop));
}
