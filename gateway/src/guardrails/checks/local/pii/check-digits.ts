/** Check digits of cards, bank accounts and national ids. The digits come as a text without separators. */

const digit = (text: string, at: number): number => text.charCodeAt(at) - 0x30;

/** Sum of the digits, each times its weight. */
export function weighted(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += digit(digits, i) * (weights[i] ?? 0);
  return sum;
}

/** ISO/IEC 7812-1, annex B. */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = digits.length - 1, isDoubled = false; i >= 0; i--, isDoubled = !isDoubled) {
    const value = digit(digits, i) * (isDoubled ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** ISO 7064, MOD 11,10. */
export function isMod1110(digits: string): boolean {
  let check = 10;
  for (let i = 0; i < digits.length - 1; i++) check = (((check + digit(digits, i)) % 10 || 10) * 2) % 11;
  return (check + digit(digits, digits.length - 1)) % 10 === 1;
}

/** Remainder by 97 of a number of any length; letters count as 10 to 35 (ISO 13616). */
export function mod97(text: string): number {
  let remainder = 0;
  for (let i = 0; i < text.length; i++) {
    const value = Number.parseInt(text.charAt(i), 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

/** The dihedral group of order 10 and the permutation of Verhoeff's scheme. */
const PRODUCTS = [
  ...['0123456789', '1234067895', '2340178956', '3401289567', '4012395678'],
  ...['5987604321', '6598710432', '7659821043', '8765932104', '9876543210'],
];
const PERMUTATIONS = [
  ...['0123456789', '1576283094', '5803796142', '8916043527', '9453126870', '4286573901', '2793806415', '7046913258'],
];

export function isVerhoeff(digits: string): boolean {
  let check = 0;
  for (let i = 0; i < digits.length; i++) {
    const permuted = Number(PERMUTATIONS[i % 8]?.[digit(digits, digits.length - 1 - i)]);
    check = Number(PRODUCTS[check]?.[permuted]);
  }
  return check === 0;
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether there is such a day in some year. */
export const isDay = (month: number, day: number): boolean => day >= 1 && day <= (DAYS[month - 1] ?? 0);

/** Whether six digits are a date of the form YYMMDD. */
export const isYymmdd = (digits: string): boolean => isDay(Number(digits.slice(2, 4)), Number(digits.slice(4, 6)));

/** Whether six digits are a date of the form DDMMYY. */
export const isDdmmyy = (digits: string): boolean => isDay(Number(digits.slice(2, 4)), Number(digits.slice(0, 2)));
