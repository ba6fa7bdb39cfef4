/** Check digits of the national ids of Europe, each as its issuer publishes it. Digits without separators, letters large. */
import { isDay, isDdmmyy, isLuhn, isMod1110, isYymmdd, mod97, weighted } from '../../check-digits.ts';

const last = (id: string): number => Number(id.at(-1));
const number = (id: string, from: number, to: number): number => Number(id.slice(from, to));

const MONTHS_OF_CENTURY = 20;
const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';
const HETU_LETTERS = '0123456789ABCDEFHJKLMNPRSTUVWXY';
const PPS_LETTERS = 'WABCDEFGHIJKLMNOPQRSTUV';

export const isAustrian = (id: string): boolean =>
  isDdmmyy(id.slice(4)) && weighted(id, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(id[3]);

export const isBelgian = (id: string): boolean => {
  const check = number(id, 9, 11);
  const isSince2000 = number(id, 0, 2) < 50 && 97 - mod97(`2${id.slice(0, 9)}`) === check;
  return isYymmdd(id) && (isSince2000 || 97 - mod97(id.slice(0, 9)) === check);
};

/** Months of other centuries are 20 and 40 higher. */
export const isBulgarian = (id: string): boolean =>
  isDay(number(id, 2, 4) % MONTHS_OF_CENTURY, number(id, 4, 6)) &&
  (weighted(id, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === last(id);

export const isSwiss = (id: string): boolean => weighted(id, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;

/** Women's months are 50 higher; where the numbers of a day run out, 20 more. A check digit of 10 is written as 0. */
export const isCzechOrSlovak = (id: string): boolean => {
  const month = number(id, 2, 4) % 50;
  return isDay(month > 20 ? month - 20 : month, number(id, 4, 6)) && (number(id, 0, 9) % 11) % 10 === last(id);
};

/** Among the first ten digits exactly one occurs twice or three times, since 2016 also. */
export const isGermanTaxId = (id: string): boolean => {
  const counts = new Map<string, number>();
  for (const digit of id.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  return repeated.length === 1 && (repeated[0] ?? 0) <= 3 && isMod1110(id);
};

/** Area, birthday, letter, serial number, check digit. */
export const isGermanInsuranceId = (id: string): boolean => {
  const letter = String(id.charCodeAt(8) - 0x40).padStart(2, '0');
  const digits = `${id.slice(0, 8)}${letter}${id.slice(9, 11)}`;
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
  const sum = weights.reduce((total, weight, i) => total + crossSum(Number(digits[i]) * weight), 0);
  return isDdmmyy(id.slice(2, 8)) && sum % 10 === last(id);
};
const crossSum = (value: number): number => Math.floor(value / 10) + (value % 10);

export const isDanishDate = (id: string): boolean => isDdmmyy(id);
/** Numbers issued since 2007 need not have a check digit. */
export const isDanish = (id: string): boolean =>
  isDdmmyy(id) && weighted(id, [4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;

/** Estonia and Lithuania use one scheme. */
export const isBaltic = (id: string): boolean => {
  const first = weighted(id, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  const second = weighted(id, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11;
  return isYymmdd(id.slice(1)) && (first < 10 ? first : second % 10) === last(id);
};

export const isSpanish = (id: string): boolean => {
  const digits = id.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
  return DNI_LETTERS[Number(digits) % 23] === id.at(-1);
};

export const isFinnish = (id: string): boolean => {
  const digits = `${id.slice(0, 6)}${id.slice(-4, -1)}`;
  return isDdmmyy(id) && HETU_LETTERS[Number(digits) % 31] === id.at(-1);
};

/** The departments of Corsica count as 19 and 18. */
export const isFrench = (id: string): boolean => {
  const digits = id.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return 97 - (Number(digits) % 97) === number(id, 13, 15);
};

export const isNhsNumber = (id: string): boolean => {
  const check = 11 - (weighted(id, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return check !== 10 && check % 11 === last(id);
};

export const isGreek = (id: string): boolean => isDdmmyy(id) && isLuhn(id);

export const isCroatian = isMod1110;

export const isIrish = (id: string): boolean => {
  const second = id.length === 9 && id[8] !== 'W' ? id.charCodeAt(8) - 0x40 : 0;
  return PPS_LETTERS[(weighted(id, [8, 7, 6, 5, 4, 3, 2]) + 9 * second) % 23] === id[7];
};

/** Values of characters in odd places; in even places a letter counts by its place in the alphabet. */
const CODICE_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

export const isItalian = (id: string): boolean => {
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const value = Number.parseInt(id.charAt(i), 36);
    const place = value > 9 ? value - 10 : value;
    sum += i % 2 === 0 ? (CODICE_ODD[place] ?? 0) : place;
  }
  return String.fromCharCode(0x41 + (sum % 26)) === id[15];
};

export const isDutch = (id: string): boolean => weighted(id, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;

/** Days of foreigners are 40 higher. */
export const isNorwegian = (id: string): boolean =>
  isDay(number(id, 2, 4), number(id, 0, 2) % 40) &&
  weighted(id, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
  weighted(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;

/** Months of other centuries are 20, 40, 60 and 80 higher. */
export const isPolish = (id: string): boolean =>
  isDay(number(id, 2, 4) % MONTHS_OF_CENTURY, number(id, 4, 6)) &&
  weighted(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;

export const isPortuguese = (id: string): boolean => {
  const check = 11 - (weighted(id, [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return (check > 9 ? 0 : check) === last(id);
};

export const isRomanian = (id: string): boolean => {
  const check = weighted(id, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
  const county = number(id, 7, 9);
  return isYymmdd(id.slice(1)) && county >= 1 && county <= 52 && (check === 10 ? 1 : check) === last(id);
};

export const isRussianInsuranceId = (id: string): boolean =>
  (weighted(id, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === number(id, 9, 11);

/** Days of those without a domicile are 60 higher. */
export const isSwedish = (id: string): boolean => {
  const short = id.slice(-10);
  return isDay(Number(short.slice(2, 4)), Number(short.slice(4, 6)) % 60) && isLuhn(short);
};

export const isTurkish = (id: string): boolean => {
  const odd = weighted(id, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weighted(id, [0, 1, 0, 1, 0, 1, 0, 1]);
  return (odd * 7 - even + 100) % 10 === Number(id[9]) && (odd + even + Number(id[9])) % 10 === last(id);
};
