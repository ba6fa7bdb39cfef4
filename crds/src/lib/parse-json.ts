/**
 * JSON from outside the process. `JSON.parse` of Node 26 has a defect with escaped member names: it compares the name it expects
 * with the escaped bytes, so after `{"a":1,"b\\":1}` it reads a member `b\` from the text `{"a":1,"b\u0065":2}`. The expected
 * names are shared by all texts of a process, so texts with escaped names, which are rare, are parsed here.
 */

type Container = unknown[] | Record<string, unknown>;

/** Matches the last escape of an escaped member name; also matches some strings. */
const ESCAPED_NAME = /\\.[^"\\]*"[ \t\n\r]*:/s;
const SCALAR = /[^\s,\]}]+/y;

/** Parses as `JSON.parse` should, errors included. `names`: `plain` where no member name is known to have escapes. */
export function parseJson(text: string, names: 'plain' | 'unknown' = 'unknown'): unknown {
  const value: unknown = JSON.parse(text);
  if (names === 'plain' || !text.includes('\\') || !ESCAPED_NAME.test(text)) return value;
  return read(text);
}

/** Parses a text that is known to be valid JSON. */
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

/** As JSON.parse does: every member is an own property, and the last one of a name counts. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function scalarEnd(text: string, start: number): number {
  SCALAR.lastIndex = start;
  SCALAR.test(text);
  return SCALAR.lastIndex;
}

/** The position after the closing quote of the string whose content begins at `start`. */
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
