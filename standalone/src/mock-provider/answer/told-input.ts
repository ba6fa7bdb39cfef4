import { isObject } from '@gatehouse/crds';

/** The JSON object that stands behind the name of a tool in a text: `get_weather {"city": "Rome"}`. */
export function readToldInput(text: string, name: string): object | undefined {
  if (name === '') return undefined;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const start = skipSpaces(text, at + name.length);
    if (text[start] === '{' && !/\w/.test(text[at - 1] ?? '')) return parseObjectAt(text, start);
  }
  return undefined;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at += 1;
  return at;
}

function parseObjectAt(text: string, start: number): object | undefined {
  try {
    const value: unknown = JSON.parse(text.slice(start, endOfObject(text, start)));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Behind the brace that closes the one at `start`. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isInText = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isInText && character === '\\') at += 1;
    else if (character === '"') isInText = !isInText;
    else if (!isInText && character === '{') depth += 1;
    else if (!isInText && character === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
