/**
 * Phone numbers: candidates are found here, libphonenumber says whether they are numbers of their country. A number without a country
 * code counts when it is written as people write phone numbers, or beside a word that says so.
 */
import type { PiiCountry } from '@gatehouse/crds/guardrails';
import type { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { beginsNumber, isDigit, isDigitAt, isWordAt } from '../../characters.ts';
import { hasWordBeside } from './context.ts';
import type { Finding } from './detector.ts';

export type ParsePhone = typeof parsePhoneNumberFromString;

/** ITU-T E.164: 15 digits; shorter ones than 7 are not looked for. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
/** Longest candidate, separators included. */
const MAX_LENGTH = 26;
/** What is dialled before a country code in most countries. */
const EXIT_CODE = '00';
const SEPARATORS = ' -./()';
/** What the library is asked about in one text; beyond, the form of a candidate is enough. */
const MAX_CALLS = 5_000;

const list = [
  ...[
    'phone',
    'tel',
    'telephone',
    'call',
    'calls',
    'calling',
    'mobile',
    'cell',
    'fax',
    'whatsapp',
    'sms',
    'text me at',
    'dial',
  ],
  ...[
    'telefon',
    'telefonnummer',
    'tel\\.?-?nr',
    'handy',
    'handynummer',
    'mobil',
    'mobilnummer',
    'rufnummer',
    'anrufen',
    'rückruf',
  ],
  ...[
    't[ée]l[ée]phone',
    'tél',
    'portable',
    'appele[rz]',
    'tel[ée]fono',
    'm[óo]vil',
    'celular',
    'll[áa]m\\p{L}*',
    'cellulare',
  ],
  ...[
    'telefone',
    'telem[óo]vel',
    'ligue',
    'telefoon',
    'telefoonnummer',
    'mobiel',
    'gsm',
    'puhelin',
    'tlf',
    'mobilnr',
    'komórka',
  ],
  ...[
    'numer telefonu',
    'zadzwoń',
    'тел',
    'телефон\\p{L}*',
    'звоните',
    'τηλ',
    'τηλέφωνο',
    'cep',
    'arayın',
    'फ़ोन',
    'मोबाइल',
    'هاتف',
    'טלפון',
  ],
];
const WORDS = new RegExp(
  `(?<!\\p{L})(?:${list.join('|')})(?!\\p{L})|[电電][话話]|手机|手機|携帯|전화|연락처|휴대폰|โทร`,
  'iu',
);

/** As numbers are written in North America, and with the 0 before the area of other countries. */
const NORTH_AMERICAN = /^(?:1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[ .-]\d{4}$/;
const WITH_TRUNK_ZERO = /^\(?0[1-9]\d{0,4}\)?(?:[ ./-]{1,2}\d{2,8}){1,5}$/;
/** Dates and times, which have the same separators. */
const DATE = /^\(?(?:\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)/;

export interface PhoneDetector {
  /** To be asked at a plus, at a parenthesis and where a number begins. */
  readonly detect: (text: string, at: number) => Finding | undefined;
}

/** One per text: it counts what it asks the library. */
export function createPhoneDetector(parse: ParsePhone, countries: readonly PiiCountry[]): PhoneDetector {
  let calls = 0;
  const isNumber = (candidate: string, country: PiiCountry | undefined): boolean => {
    if (calls++ >= MAX_CALLS) return true;
    const options = { extract: false, ...(country === undefined ? {} : { defaultCountry: country }) };
    return parse(candidate, options)?.isValid() ?? false;
  };
  const isLocalNumber = (candidate: string): boolean => countries.some((country) => isNumber(candidate, country));

  const international = (text: string, at: number): Finding | undefined => {
    const prefix = text[at] === '+' ? 1 : 2;
    for (const end of endsOf(text, at + prefix)) {
      const candidate = `+${text.slice(at + prefix, end)}`;
      if (isNumber(candidate, undefined)) return phone(at, end);
    }
    return undefined;
  };

  const local = (text: string, at: number): Finding | undefined => {
    let isNamed: boolean | undefined;
    for (const end of endsOf(text, at)) {
      const candidate = text.slice(at, end);
      if (DATE.test(candidate)) continue;
      const isWritten = NORTH_AMERICAN.test(candidate) || WITH_TRUNK_ZERO.test(candidate);
      isNamed ??= hasWordBeside(text, at, end, WORDS);
      if ((isWritten || isNamed) && isLocalNumber(candidate)) return phone(at, end);
    }
    return undefined;
  };

  const afterExitCode = (text: string, at: number): Finding | undefined =>
    text.startsWith(EXIT_CODE, at) && isDigitAt(text, at + 2) ? international(text, at) : undefined;

  return {
    detect: (text, at) => {
      const first = text.charAt(at);
      const isFollowed = isDigitAt(text, at + 1);
      if (first === '+') return isFollowed || text[at + 1] === '(' ? international(text, at) : undefined;
      if (text[at - 1] === '+' || !beginsNumber(text, at)) return undefined;
      if (first === '(' && (!isFollowed || isWordAt(text, at - 1))) return undefined;
      return afterExitCode(text, at) ?? local(text, at);
    },
  };
}

const phone = (start: number, end: number): Finding => ({ category: 'PHONE_NUMBER', start, end });

/** Where groups of digits end so that there are digits enough; the longest first. */
function endsOf(text: string, from: number): number[] {
  const ends: number[] = [];
  let digits = 0;
  let separators = 0;
  for (let at = from; at <= from + MAX_LENGTH && at < text.length; at++) {
    if (isDigit(text.charCodeAt(at))) {
      separators = 0;
      if (++digits > MAX_DIGITS) break;
      if (digits >= MIN_DIGITS && !isDigitAt(text, at + 1) && !isWordAt(text, at + 1)) ends.unshift(at + 1);
    } else if (!SEPARATORS.includes(text.charAt(at)) || ++separators > 2) break;
  }
  return ends;
}
