/**
 * JSON of others. `JSON.parse` of the Node that is shipped compares the name of a member that it expects with the bytes of
 * an escaped one as they stand: after `{"a":1,"b\\":1}` the text `{"a":1,"b\u0065":2}` has a member `b\` for it. What it
 * expects is shared by all texts of a process, so texts with escaped names are read here; they are rare.
 */

type Container = unknown[] | Record<string, unknown>;

/** In any text with an escaped name the last escape of that name looks like this; so do a few strings. */
const ESCAPED_NAME = /\\.[^"\\]*"[ \t\n\r]*:/s;
const SCALAR = /[^\s,\]}]+/y;

/**
 * The value that a text stands for, as `JSON.parse` should say it, errors included. `names`: `plain` where it is known that
 * no member has escapes in its name.
 */
export function parseJson(text: string, names: 'plain' | 'unknown' = 'unknown'): unknown {
  const value: unknown = JSON.parse(text);
  if (names === 'plain' || !text.includes('\\') || !ESCAPED_NAME.test(text)) return value;
  return read(text);
}

/** Of a text that is known to be JSON. */
function read(text: string): unknown {
  const whole: unknown[] = [];
  const open: Container[] = [whole];
  let name: string | undefined;
  let at = 0;
  const put = (value: unknown): void => {
    const container = open.at(-1) ?? whole;
    if (Array.isArray(container)) container.push(value);
    else if (name === undefined) name = String(value);
    else {
      define(container, name, value);
      name = undefined;
    }
  };
  while (at < text.length) {
    const sign = text.charAt(at);
    let end = at + 1;
    if ('{['.includes(sign)) {
      const container: Container = sign === '{' ? {} : [];
      put(container);
      open.push(container);
    } else if ('}]'.includes(sign)) open.pop();
    else if (!' \t\n\r,:'.includes(sign)) {
      end = sign === '"' ? stringEnd(text, at + 1) : scalarEnd(text, at);
      put(JSON.parse(text.slice(at, end)));
    }
    at = end;
  }
  return whole[0];
}

/** As JSON.parse does it: a member of any name is an own one, and the last of a name counts. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function scalarEnd(text: string, start: number): number {
  SCALAR.lastIndex = start;
  SCALAR.test(text);
  return SCALAR.lastIndex;
}

/** Behind the quote that ends the string whose content begins at `start`. */
function stringEnd(text: string, start: number): number {
  let from = start;
  for (;;) {
    const quote = text.indexOf('"', from);
    let at = quote - 1;
    while (at >= from && text[at] === '\\') at -= 1;
    if ((quote - 1 - at) % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}
