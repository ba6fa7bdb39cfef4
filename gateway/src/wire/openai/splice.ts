import { isObject } from '@gatehouse/crds';
import { parseJsonObject } from './message.ts';

/** A member with a text value, prepared for insertion into JSON text. */
export interface Member {
  readonly name: string;
  readonly value: string;
  /** The quoted name; a text without it has no such member. */
  readonly key: Buffer;
  readonly text: Buffer;
}

/** Names and values are constants of the gateway: short and few. */
export function memberOf(name: string, value: string): Member {
  const key = JSON.stringify(name);
  return { name, value, key: Buffer.from(key), text: Buffer.from(`${key}:${JSON.stringify(value)}`) };
}

const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const COMMA = Buffer.from(',');

/**
 * Appends a member to the text of a JSON object without parsing it. A text that is not an object is returned unchanged; one
 * that has the member already is rewritten with the new value, since parsers disagree about repeated names.
 */
export function appendMember(bytes: Buffer, member: Member): Buffer {
  const first = skipSpace(bytes, 0, 1);
  const last = skipSpace(bytes, bytes.length - 1, -1);
  if (first >= last || bytes[first] !== OPEN || bytes[last] !== CLOSE) return bytes;
  if (bytes.includes(member.key)) {
    const rewritten = replaceMember(bytes.subarray(first, last + 1), member);
    if (rewritten !== undefined) return Buffer.concat([bytes.subarray(0, first), rewritten, bytes.subarray(last + 1)]);
  }
  const empty = skipSpace(bytes, last - 1, -1) === first;
  const head = bytes.subarray(0, last);
  const tail = bytes.subarray(last);
  return Buffer.concat(empty ? [head, member.text, tail] : [head, COMMA, member.text, tail]);
}

function replaceMember(bytes: Buffer, { name, value }: Member): Buffer | undefined {
  const body = parseJsonObject(bytes.toString('utf8'));
  if (!isObject(body) || !Object.hasOwn(body, name)) return undefined;
  return Buffer.from(JSON.stringify({ ...body, [name]: value }));
}

/** JSON white space is space, tab, LF and CR; nothing else below the space occurs between tokens. */
function skipSpace(bytes: Buffer, from: number, step: 1 | -1): number {
  let at = from;
  while (at >= 0 && at < bytes.length && (bytes[at] ?? OPEN) <= SPACE) at += step;
  return at;
}
