/** Numbers of payment cards: ISO/IEC 7812, ranges of the large issuers, Luhn's check digit. */
import { beginsNumber, endsNumber } from '../../characters.ts';
import { isLuhn } from '../check-digits.ts';
import type { Detect } from './detector.ts';

/** With one kind of separator, or without any; a code may follow in the place of a last short group. */
const FORMS = [
  /\d{4}([ .-])\d{4}\1\d{4}\1\d{4}\1\d{3}/y,
  /\d{4}([ .-])\d{4}\1\d{4}\1\d{4}/y,
  /\d{4}([ .-])\d{6}\1\d{4,5}/y,
  /\d{13,19}/y,
];
const RANGES = [
  /^4(?:\d{12}|\d{15}|\d{18})$/, // Visa
  /^(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/, // Mastercard
  /^3[47]\d{13}$/, // American Express
  /^(?:6011|64[4-9]\d|65\d{2})\d{12,15}$/, // Discover
  /^3(?:0[0-5]|[689]\d)\d{11}$/, // Diners Club
  /^35(?:2[89]|[3-8]\d)\d{12,15}$/, // JCB
  /^62\d{14,17}$/, // UnionPay
  /^(?:50|5[6-9]|6[37])\d{14,17}$/, // Maestro
  /^220[0-4]\d{12,15}$/, // Mir
];

/** To be asked where a number begins. */
export const detectCard: Detect = (text, at) => {
  if (!beginsNumber(text, at)) return undefined;
  for (const form of FORMS) {
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    if (found === undefined || !endsNumber(text, at + found.length)) continue;
    const digits = found.replaceAll(/\D/g, '');
    if (RANGES.some((range) => range.test(digits)) && isLuhn(digits)) {
      return { category: 'CREDIT_CARD', start: at, end: at + found.length };
    }
  }
  return undefined;
};
