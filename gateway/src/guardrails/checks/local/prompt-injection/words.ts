/** The words of a text in the form in which they are looked up. */

/** Longest word; what is longer is cut into several. */
const MAX_WORD = 64;
const WORD = new RegExp(`[\\p{L}\\p{M}\\p{N}]{1,${MAX_WORD}}`, 'gu');
const ACCENTS = /[\u0300-\u036f]+/g;
/** Letters of other scripts that look like Latin ones. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{
    а: 'a',
    в: 'b',
    с: 'c',
    е: 'e',
    һ: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    м: 'm',
    о: 'o',
    р: 'p',
    ѕ: 's',
    т: 't',
    у: 'y',
    х: 'x',
  },
  ...{
    ԁ: 'd',
    ɡ: 'g',
    ո: 'n',
    ѵ: 'v',
    ѡ: 'w',
    α: 'a',
    ε: 'e',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
  },
  ...{ ı: 'i', ł: 'l', ø: 'o', ß: 'ss' },
};
const DIGITS: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' };

const NON_ASCII = /[\u0080-\uffff]/;
const PLAIN_WORD = /^[a-z]+$/;

/** Lower-case words without accents; look-alikes and digits inside Latin words become the letters that they stand for. */
export function wordsOf(text: string): readonly string[] {
  const lower = NON_ASCII.test(text) ? withoutAccents(text) : text.toLowerCase();
  return (lower.match(WORD) ?? []).map((word) => (!PLAIN_WORD.test(word) && /[a-z]/.test(word) ? latin(word) : word));
}

const withoutAccents = (text: string): string =>
  text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase().replace(ACCENTS, '');

const latin = (word: string): string =>
  word.replaceAll(/[^a-z]/g, (character) => LOOKALIKES[character] ?? DIGITS[character] ?? character);
