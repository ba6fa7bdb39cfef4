/** Email addresses as people write them: RFC 5321 without quoted local parts and address literals. */
import { isWord } from '../../characters.ts';
import type { Detect } from './detector.ts';

/** RFC 5321, 4.5.3.1. */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 253;
/** Without those that separate the parts of URLs and forms. */
const LOCAL_PUNCTUATION = ".!#$%'*+^`~-";
const HYPHEN = 0x2d;
const DOT = 0x2e;
const UNDERSCORE = 0x5f;
const TOP_LEVEL = /^(?:\p{L}{2,24}|xn--[a-z0-9-]{2,55})$/iu;
/** Names of files with a factor, as in logo@2x.png. */
const FILE_ENDING = /^(?:png|jpe?g|gif|svg|webp|pdf|css|js|ts|json|html)$/i;

const isLocal = (code: number): boolean => isWord(code) || LOCAL_PUNCTUATION.includes(String.fromCharCode(code));
const isDomain = (code: number): boolean => (isWord(code) && code !== UNDERSCORE) || code === HYPHEN || code === DOT;

/** To be asked at an at sign. */
export const detectEmail: Detect = (text, at) => {
  const start = localStart(text, at);
  if (start === at || text.startsWith('://', start - 3)) return undefined;
  const end = domainEnd(text, at + 1);
  if (end === 0 || isRemote(text, end)) return undefined;
  return { category: 'EMAIL_ADDRESS', start, end };
};

function localStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start <= MAX_LOCAL && isLocal(text.charCodeAt(start - 1))) start--;
  if (at - start > MAX_LOCAL) return at;
  while (start < at && !isWord(text.charCodeAt(start))) start++;
  return start;
}

/** Where the domain ends, or 0. */
function domainEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && end - from <= MAX_DOMAIN && isDomain(text.charCodeAt(end))) end++;
  while (end > from && !isWord(text.charCodeAt(end - 1))) end--;
  const labels = text.slice(from, end).split('.');
  const topLevel = labels.at(-1) ?? '';
  if (labels.length < 2 || labels.some((label) => label === '' || label.length > 63)) return 0;
  return TOP_LEVEL.test(topLevel) && !FILE_ENDING.test(topLevel) ? end : 0;
}

/** Whether it is the address of a repository, as in git@example.com:team/app. */
const isRemote = (text: string, end: number): boolean => text[end] === ':' && /[\w~/]/.test(text[end + 1] ?? '');
