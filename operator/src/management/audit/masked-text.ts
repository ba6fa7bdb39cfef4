/** Texts without credentials that are told by their form. */
import { MASK } from './masked-spec.ts';

/** Keys of the gateway and of usual providers. */
const KEY =
  /\b(gwk_|sk-|sk_|pk-|ghp_|gho_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|hvs\.|hf_|xai-|gsk_|r8_|nvapi-)[\w.~+/=-]{4,}/g;
/** Credentials of headers. */
const SCHEME = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;
/** What may have a token of three parts in it. It begins once in a run, so that the work is linear. */
const DOTTED = /(?<![\w-])[\w-]+(?:\.[\w-]*){2,}/g;
const TOKEN = /\beyJ/;
/** What may have an address in it. */
const WORD = /[^\s"]+/g;
const PRIVATE = '-----BEGIN';

/** Printable ASCII, as addresses and JSON write it. */
const ESCAPE = /%([2-7][0-9a-f])|\\u00([2-7][0-9a-f])|\\x([2-7][0-9a-f])|\\(?=\/)/gi;
/** How often a text may have been encoded. */
const MAX_ROUNDS = 4;

/** A text in which one is encoded is shown decoded. */
export function maskedText(text: string): string {
  const plain = decoded(text);
  if (plain.includes(PRIVATE)) return MASK;
  const masked = withoutCredentials(plain);
  return plain === text || masked !== plain ? masked : withoutCredentials(text);
}

function decoded(text: string): string {
  let plain = text;
  for (let round = 0; round < MAX_ROUNDS && /[%\\]/.test(plain); round += 1) {
    const next = plain.replace(ESCAPE, (_, ...codes: (string | undefined)[]) => {
      const code = codes.slice(0, 3).find((one) => one !== undefined);
      return code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
    });
    if (next === plain) break;
    plain = next;
  }
  return plain;
}

const withoutCredentials = (text: string): string =>
  text.replace(KEY, MASK).replace(DOTTED, withoutToken).replace(SCHEME, MASK).replace(WORD, withoutQuery);

function withoutToken(run: string): string {
  const start = run.search(TOKEN);
  return start < 0 || run.slice(start).split('.', 3).length < 3 ? run : run.slice(0, start) + MASK;
}

/** Of an address. */
function withoutQuery(word: string): string {
  const path = word.indexOf('://');
  const mark = path < 0 ? -1 : word.slice(path).search(/[?#]/);
  return mark < 0 ? word : `${word.slice(0, path + mark)}?${MASK}`;
}
