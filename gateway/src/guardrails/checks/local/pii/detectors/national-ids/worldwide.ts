/** Check digits of the national ids outside Europe, each as its issuer publishes it. */
import { isDay, isLuhn, isVerhoeff, isYymmdd, weighted } from '../../check-digits.ts';

const last = (id: string): number => Number(id.at(-1));

export const isArgentine = (id: string): boolean => {
  const check = (11 - (weighted(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  return (check === 10 ? 9 : check) === last(id);
};

export const isAustralian = (id: string): boolean => weighted(id, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0;

export const isBrazilian = (id: string): boolean => {
  if (id === (id[0] ?? '').repeat(id.length)) return false;
  const checkOf = (weights: readonly number[]): number => ((weighted(id, weights) * 10) % 11) % 10;
  return (
    checkOf([10, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(id[9]) && checkOf([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) === last(id)
  );
};

export const isCanadian = (id: string): boolean => !'08'.includes(id.charAt(0)) && isLuhn(id);

export const isChilean = (id: string): boolean => {
  const digits = id.slice(0, -1).padStart(8, '0');
  return '0K987654321'[weighted(digits, [3, 2, 7, 6, 5, 4, 3, 2]) % 11] === id.at(-1);
};

export const isChinese = (id: string): boolean =>
  isDay(Number(id.slice(10, 12)), Number(id.slice(12, 14))) &&
  '10X98765432'[weighted(id, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === id[17];

/** One or two letters, six digits and the check character; a missing first letter counts as 36. */
export const isHongKong = (id: string): boolean => {
  const padded = id.padStart(9, ' ');
  let sum = 0;
  for (let i = 0; i < 9; i++) sum += (padded[i] === ' ' ? 36 : Number.parseInt(padded.charAt(i), 36)) * (9 - i);
  return sum % 11 === 0;
};

export const isIsraeli = isLuhn;

export const isAadhaar = isVerhoeff;

export const isMyNumber = (id: string): boolean => {
  const rest = weighted(id, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest <= 1 ? 0 : 11 - rest) === last(id);
};

export const isKoreanDate = (id: string): boolean => isYymmdd(id);
/** Numbers issued since October 2020 have no check digit. */
export const isKorean = (id: string): boolean =>
  isYymmdd(id) && (11 - (weighted(id, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 === last(id);

const CURP_CHARACTERS = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';

export const isMexican = (id: string): boolean => {
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += CURP_CHARACTERS.indexOf(id.charAt(i)) * (18 - i);
  return isYymmdd(id.slice(4)) && (10 - (sum % 10)) % 10 === last(id);
};

const NRIC_CHECKS: Readonly<Record<string, readonly [offset: number, letters: string]>> = {
  S: [0, 'JZIHGFEDCBA'],
  T: [4, 'JZIHGFEDCBA'],
  F: [0, 'XWUTRQPNMLK'],
  G: [4, 'XWUTRQPNMLK'],
  M: [3, 'XWUTRQPNJLK'],
};

export const isSingaporean = (id: string): boolean => {
  const [offset, letters] = NRIC_CHECKS[id.charAt(0)] ?? [0, ''];
  return letters[(weighted(id.slice(1), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11] === id[8];
};

export const isThai = (id: string): boolean =>
  (11 - (weighted(id, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === last(id);

/** Places of the letters, by the order in which the counties got them. */
const TAIWAN_LETTERS = 'ABCDEFGHJKLMNPQRSTUVXYWZIO';

export const isTaiwanese = (id: string): boolean => {
  const letter = 10 + TAIWAN_LETTERS.indexOf(id.charAt(0));
  const sum = Math.floor(letter / 10) + (letter % 10) * 9 + weighted(id.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1]);
  return sum % 10 === 0;
};

/** Numbers of the taxpayers without a social security number begin with 9. */
export const isSocialSecurityNumber = (id: string): boolean => {
  const area = id.slice(0, 3);
  const group = Number(id.slice(3, 5));
  if (id[0] === '9')
    return (group >= 50 && group <= 65) || (group >= 70 && group <= 99 && group !== 89 && group !== 93);
  return area !== '000' && area !== '666' && group !== 0 && id.slice(5) !== '0000' && !ADVERTISED.has(id);
};
/** Numbers that were printed in advertisements and belong to nobody. */
const ADVERTISED: ReadonlySet<string> = new Set(['078051120', '219099999', '457555462']);

export const isSouthAfrican = (id: string): boolean => isYymmdd(id) && isLuhn(id);
