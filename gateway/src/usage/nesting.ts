/** Where a place in JSON or in an event lies. */

const OPEN = 0x7b; // {
const CLOSE = 0x7d; // }
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;
const CR = 0x0d;

/** Whether few objects are still open around that in which the place is. */
export function isNearRoot(text: string, start: number, maxEnclosing: number): boolean {
  let open = 1;
  let enclosing = 0;
  for (let at = start; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isEndOfEvent(unit, text.charCodeAt(at + 1))) return true;
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === OPEN) open += 1;
    else if (unit === CLOSE && open > 0) open -= 1;
    else if (unit === CLOSE) enclosing += 1;
    if (enclosing > maxEnclosing) return false;
  }
  return true;
}

/** Two line ends, of whatever kind: the text may hold several events. */
const isEndOfEvent = (unit: number, next: number): boolean =>
  (unit === LF && (next === LF || next === CR)) || (unit === CR && next === CR);

/** The index of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
