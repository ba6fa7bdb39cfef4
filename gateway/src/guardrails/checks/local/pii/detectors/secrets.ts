/** Keys and tokens by the prefixes that their issuers give them, private keys, and passwords in URLs. */
import { isWordAt } from '../../characters.ts';
import type { Detect, Finding } from './detector.ts';

/** What a key begins with and what follows: enough that words and names of the form are not taken for keys. */
const KEYS: readonly (readonly [start: string, rest: string])[] = [
  ['A(?:KIA|SIA|BIA|CCA)', '[A-Z2-7]{16}'], // AWS
  ['AIza', '[\\w-]{35}'], // Google
  ['AGE-SECRET-KEY-1', '[0-9A-Z]{58}'],
  ['GOCSPX-', '[\\w-]{24,64}'], // Google
  ['SG\\.', '[\\w-]{16,32}\\.[\\w-]{16,64}'], // SendGrid
  ['dapi', '[0-9a-f]{32}'], // Databricks
  ['do[opr]_v1_', '[0-9a-f]{64}'], // DigitalOcean
  ['gh[pousr]_', '[A-Za-z0-9]{36,255}'], // GitHub
  ['github_pat_', '\\w{40,255}'],
  ['gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent|oas)-', '[\\w-]{20,255}'], // GitLab
  ['gsk_', '[A-Za-z0-9]{40,128}'], // Groq
  ['gwk_', '[\\w-]{20,128}'], // keys of this gateway
  ['hf_', '[A-Za-z0-9]{30,64}'], // Hugging Face
  ['hv[sbr]\\.', '[\\w-]{24,255}'], // Vault
  ['npm_', '[A-Za-z0-9]{36,64}'],
  ['pplx-', '[A-Za-z0-9]{40,64}'], // Perplexity
  ['pypi-AgE', '[\\w-]{50,255}'],
  ['r8_', '[A-Za-z0-9]{37,64}'], // Replicate
  ['shp(?:at|ca|pa|ss)_', '[0-9a-fA-F]{32}'], // Shopify
  ['rk_(?:live|test)_', '[A-Za-z0-9]{16,255}'], // Stripe
  ['sk_(?:live|test)_', '[A-Za-z0-9]{16,255}'],
  ['sk-(?:ant|proj|svcacct|admin|or|None)-', '[\\w-]{20,255}'], // OpenAI, Anthropic, OpenRouter
  ['sk-', '(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{32,128}'], // OpenAI and those that follow it
  ['whsec_', '[A-Za-z0-9+/=]{24,128}'], // Stripe
  ['xai-', '[A-Za-z0-9]{40,128}'], // xAI
  ['xapp-\\d-', '[A-Za-z0-9-]{20,255}'], // Slack
  ['xox[abeoprs]-', '[A-Za-z0-9-]{10,255}'],
  ['ya29\\.', '[\\w-]{20,255}'], // Google
];

const TOKEN_START = 'eyJ';

/** The source of a pattern for the beginnings of all keys and tokens. */
export const SECRET_STARTS: string = [...KEYS.map(([start]) => start), TOKEN_START].join('|');

/** By first letter; sticky and of bounded length. */
const BY_FIRST: ReadonlyMap<string, readonly RegExp[]> = Map.groupBy(
  KEYS.map(([start, rest]) => new RegExp(start + rest, 'y')),
  ({ source }) => source.charAt(0),
);

const secret = (start: number, end: number): Finding => ({ category: 'SECRET', start, end });

/** To be asked where a word begins. */
export const detectKey: Detect = (text, at) => {
  for (const form of BY_FIRST.get(text.charAt(at)) ?? []) {
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    if (found !== undefined && !isWordAt(text, at + found.length)) return secret(at, at + found.length);
  }
  return undefined;
};

/** RFC 7519: header and payload are JSON objects, so both begin with `{"` in base64url. */
const TOKEN = /eyJ[\w-]{10,4096}\.eyJ[\w-]{10,16384}\.[\w-]{0,2048}/y;
/** What may become one. */
const TOKEN_BEGIN = /eyJ[\w-]{10,4096}\.eyJ[\w-]{10,16384}(?:$|\.[\w-]{0,2048})/y;

const tokenDetector =
  (form: RegExp): Detect =>
  (text, at) => {
    // Inside the characters of a token that was looked at before, nothing new can begin.
    if (!text.startsWith(TOKEN_START, at) || text[at - 1] === '-') return undefined;
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    return found === undefined ? undefined : secret(at, at + found.length);
  };

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_END = /-----END [A-Z0-9 ]{0,48}-----/g;
/** Longest private key, in characters. */
const MAX_KEY = 16_384;
/** What a key without an end may consist of: headers of RFC 1421 and RFC 9580, and base64. */
const KEY_LINES =
  /(?:(?:\s|\\[nr]){0,8}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\r\n\\]{0,128}|[A-Za-z0-9+/=]{16,128})){0,256}/y;

function detectPrivateKey(text: string, at: number, goesOn: boolean): Finding | undefined {
  KEY_BEGIN.lastIndex = at;
  const header = KEY_BEGIN.exec(text)?.[0];
  if (header === undefined) return undefined;
  const from = at + header.length;
  const next = text.slice(from, from + MAX_KEY).search(/-----(?:BEGIN|END) /);
  KEY_END.lastIndex = from + next;
  const end = next < 0 ? null : KEY_END.exec(text.slice(0, from + next + 64));
  if (end?.index === from + next) return secret(at, KEY_END.lastIndex);
  const isOpen = next < 0 ? text.length < from + MAX_KEY : text.length < from + next + 64 && end === null;
  if (goesOn && isOpen && !text.startsWith('-----BEGIN', from + next)) return secret(at, text.length);
  KEY_LINES.lastIndex = from;
  return secret(at, from + (KEY_LINES.exec(text)?.[0].length ?? 0));
}

/** Secrets of which the beginning alone may not show what they are. */
export interface LongSecrets {
  /** To be asked where a word begins. */
  readonly token: Detect;
  /** RFC 7468 and its relatives. To be asked at a hyphen. */
  readonly privateKey: Detect;
}

/** In a text that is whole. */
export const CLOSED: LongSecrets = {
  token: tokenDetector(TOKEN),
  privateKey: (text, at) => detectPrivateKey(text, at, false),
};

/** In a text to which more may come: they reach to its end. */
export const OPEN: LongSecrets = {
  token: tokenDetector(TOKEN_BEGIN),
  privateKey: (text, at) => detectPrivateKey(text, at, true),
};

/** User and password of a URL: RFC 3986, 3.2.1. */
const USER_INFO = /:\/\/([^\s/?#@:[\]"'<>]{0,128}:[^\s/?#@[\]"'<>]{1,128})@[\w[]/y;

/** To be asked at a colon. */
export const detectUserInfo: Detect = (text, at) => {
  USER_INFO.lastIndex = at;
  const found = USER_INFO.exec(text)?.[1];
  const start = at + 3;
  return found === undefined || /^[^:]*:(?:\$|\{|\*+$|<|x+$)/i.test(found)
    ? undefined
    : secret(start, start + found.length);
};
