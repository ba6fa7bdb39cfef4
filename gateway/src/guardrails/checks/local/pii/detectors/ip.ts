/** IP addresses that may belong to somebody: not those that every machine has. */
import { isIPv4, isIPv6 } from 'node:net';
import { endsNumber, isDigitAt, isWordAt } from '../../characters.ts';
import type { Detect } from './detector.ts';

const V4 = /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}/y;
/** Up to the longest IPv6 address, RFC 4291 with an IPv4 part. */
const V6 = /[0-9a-fA-F:.]{3,46}/y;
/** Loopback and unspecified addresses, masks. */
const OF_EVERY_MACHINE = /^(?:127\.|0\.|255\.|::1?$)/;
/** What stands before a version or a number of a section, rather than an address. */
const BEFORE_VERSION =
  /(?:\bv|\bver(?:sion)?s?|\brelease|\bbuild|\bsection|\bchapter|\brevision|\boid|[:/@=]v)[ .:=]{0,2}$/i;
const LONGEST_BEFORE = 10;

/** To be asked where a number begins. */
export const detectIpv4: Detect = (text, at) => {
  V4.lastIndex = at;
  const address = V4.exec(text)?.[0];
  if (address === undefined || !isIPv4(address) || OF_EVERY_MACHINE.test(address)) return undefined;
  const end = at + address.length;
  const goesOn = text[at - 1] === '.' || (text[end] === '.' && isDigitAt(text, end + 1)) || isWordAt(text, end);
  if (goesOn || (text[end] !== '/' && !endsNumber(text, end))) return undefined;
  if (BEFORE_VERSION.test(text.slice(Math.max(0, at - LONGEST_BEFORE), at))) return undefined;
  return { category: 'IP_ADDRESS', start: at, end };
};

/** To be asked where a word of hexadecimal digits begins, and at two colons. */
export const detectIpv6: Detect = (text, at) => {
  if (!hasColonSoon(text, at)) return undefined;
  V6.lastIndex = at;
  const found = V6.exec(text)?.[0].replace(/(?:\.|(?<!:):)$/, '') ?? '';
  if (!/\d/.test(found) || !isIPv6(found) || OF_EVERY_MACHINE.test(found)) return undefined;
  const end = at + found.length;
  if (isWordAt(text, end) || (text[end] === ':' && isWordAt(text, end + 1))) return undefined;
  return { category: 'IP_ADDRESS', start: at, end };
};

const LONGEST_GROUP = 4;

function hasColonSoon(text: string, at: number): boolean {
  for (let i = at; i <= at + LONGEST_GROUP; i++) if (text[i] === ':') return true;
  return false;
}
