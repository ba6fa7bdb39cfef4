/** National ids: how each is written, when its form alone is enough, and words that make a bare number one. */
import type { PiiCategory, PiiCountry } from '@gatehouse/crds/guardrails';
import * as europe from './european.ts';
import * as world from './worldwide.ts';

export interface Begins {
  readonly kind: 'letters' | 'digits';
  readonly lengths: readonly number[];
}

export interface NationalId {
  readonly countries: readonly PiiCountry[];
  readonly category: Extract<PiiCategory, 'NATIONAL_ID' | 'SSN'>;
  /** Sticky and of bounded length. */
  readonly form: RegExp;
  /** Lengths of the run of letters or digits that it begins with. */
  readonly begins: Begins;
  /** Words of which one stands beside it. Absent: fewer than one in two hundred other numbers of the form pass. */
  readonly words?: RegExp;
  /** Gets it without separators, letters large. */
  readonly isValid: (id: string) => boolean;
}

type Row = readonly [begins: Begins, form: RegExp, isValid: (id: string) => boolean, words?: RegExp];

const letters = (...lengths: readonly number[]): Begins => ({ kind: 'letters', lengths });
const digits = (...lengths: readonly number[]): Begins => ({ kind: 'digits', lengths });

/** Words that stand alone, in any case. */
const words = (...list: readonly string[]): RegExp => new RegExp(`(?<!\\p{L})(?:${list.join('|')})(?!\\p{L})`, 'iu');

/** For scripts that write words together: a word with borders or one without. */
const either = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'), 'iu');

const BSN = words('bsn', 'sofi', 'burgerservicenummer', 'citizen service number');
const CPF = words('cpf', 'cadastro de pessoas f[ií]sicas');
const SIN = words('sin', 'nas', 'social insurance', 'assurance sociale');
const SSN = words('ssn', 'itin', 'social security', 'social sec', 'seguro social', 'taxpayer id(?:entification)?');
const PERSONNUMMER = words('personnummer', 'personnr', 'pnr', 'samordningsnummer');
const CPR = words('cpr(?:-nr|-nummer)?', 'personnummer');
const AADHAAR = words('aadhaar', 'aadhar', 'uidai', 'आधार');
const NIF = words('nif', 'contribuinte', 'n[úu]mero fiscal');
const RRN = either(words('rrn', 'resident registration'), /주민(?:등록)?번호/);

const FORMS: Readonly<Partial<Record<PiiCountry | 'CZ+SK' | 'EE+LT', readonly Row[]>>> = {
  AR: [[digits(2), /(?:20|23|24|27)-\d{8}-\d/y, world.isArgentine]],
  AT: [[digits(4, 10), /[1-9]\d{3}[ -]?\d{6}/y, europe.isAustrian]],
  AU: [[digits(3, 9), /\d{3}([ -]?)\d{3}\1\d{3}/y, world.isAustralian, words('tfn', 'tax file (?:number|no)')]],
  BE: [[digits(2, 4, 6, 9, 11), /\d{2}\.?\d{2}\.?\d{2}[- ]?\d{3}[-. ]?\d{2}/y, europe.isBelgian]],
  BG: [[digits(10), /\d{10}/y, europe.isBulgarian, words('егн', 'egn', 'единен граждански номер')]],
  BR: [
    [digits(3), /\d{3}\.\d{3}\.\d{3}-\d{2}/y, world.isBrazilian],
    [digits(9, 11), /\d{9}-?\d{2}/y, world.isBrazilian, CPF],
  ],
  CA: [[digits(3, 9), /\d{3}([ -]?)\d{3}\1\d{3}/y, world.isCanadian, SIN]],
  CH: [[digits(3, 13), /756([. ]?)\d{4}\1\d{4}\1\d{2}/y, europe.isSwiss]],
  CL: [
    [digits(1, 2), /\d{1,2}\.\d{3}\.\d{3}-[\dkK]/y, world.isChilean],
    [digits(7, 8), /\d{7,8}-[\dkK]/y, world.isChilean, words('rut', 'run', 'r\\.u\\.t\\.')],
  ],
  CN: [[digits(17, 18), /[1-9]\d{5}(?:19|20)\d{9}[\dxX]/y, world.isChinese]],
  'CZ+SK': [
    [digits(6), /\d{6}\/\d{4}/y, europe.isCzechOrSlovak],
    [digits(10), /\d{10}/y, europe.isCzechOrSlovak, words('rodn[eé] [cč][ií]slo', 'r\\.? ?[cč]\\.?', 'birth number')],
  ],
  DE: [
    [digits(2, 11), /[1-9]\d([ ]?)\d{3}\1\d{3}\1\d{3}/y, europe.isGermanTaxId],
    [digits(2, 8), /\d{2} ?\d{6} ?[A-Z] ?\d{3}/y, europe.isGermanInsuranceId],
  ],
  DK: [
    [digits(6), /\d{6}-\d{4}/y, europe.isDanish],
    [digits(6, 10), /\d{6}-?\d{4}/y, europe.isDanishDate, CPR],
  ],
  'EE+LT': [[digits(11), /[1-6]\d{10}/y, europe.isBaltic]],
  ES: [
    [digits(8), /\d{8}[- ]?[A-HJ-NP-TV-Z]/y, europe.isSpanish],
    [digits(2), /\d{2}\.\d{3}\.\d{3}[- ]?[A-HJ-NP-TV-Z]/y, europe.isSpanish],
    [letters(1), /[XYZ][- ]?\d{7}[- ]?[A-HJ-NP-TV-Z]/y, europe.isSpanish],
  ],
  FI: [[digits(6), /\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]/y, europe.isFinnish]],
  FR: [
    [
      digits(1, 3, 5, 6, 7, 10, 13, 15),
      /[1-478] ?\d{2} ?(?:0[1-9]|[2-9]\d|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}/y,
      europe.isFrench,
    ],
  ],
  GB: [
    [
      letters(2),
      /(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]/y,
      () => true,
    ],
    [digits(3, 10), /\d{3}([ -]?)\d{3}\1\d{4}/y, europe.isNhsNumber, words('nhs', 'national health service')],
  ],
  GR: [[digits(11), /\d{11}/y, europe.isGreek, words('αμκα', 'amka')]],
  HK: [[letters(1, 2), /[A-Z]{1,2}\d{6}\([\dA]\)/y, world.isHongKong]],
  HR: [[digits(11), /\d{11}/y, europe.isCroatian, words('oib', 'osobni identifikacijski broj')]],
  IE: [[digits(7), /\d{7}[A-W][A-IW]?/y, europe.isIrish]],
  IL: [
    [digits(8, 9), /\d{8}-?\d/y, world.isIsraeli, either(words('teudat zehut', 'israeli id'), /ת"?\.?ז|תעודת זהות/)],
  ],
  IN: [
    [digits(4), /[2-9]\d{3} \d{4} \d{4}/y, world.isAadhaar],
    [digits(4, 12), /[2-9]\d{3}([ -]?)\d{4}\1\d{4}/y, world.isAadhaar, AADHAAR],
    [letters(5), /[A-Z]{3}P[A-Z]\d{4}[A-Z]/y, () => true],
  ],
  IT: [
    [letters(6), /[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]/y, europe.isItalian],
    [letters(3), /[A-Z]{3} [A-Z]{3} \d{2}[A-EHLMPRST]\d{2} [A-Z]\d{3}[A-Z]/y, europe.isItalian],
  ],
  JP: [
    [
      digits(4, 12),
      /\d{4}([ -]?)\d{4}\1\d{4}/y,
      world.isMyNumber,
      either(words('my ?number'), /マイナンバー|個人番号/),
    ],
  ],
  KR: [
    [digits(6), /\d{6}-[1-8]\d{6}/y, world.isKorean],
    [digits(6, 13), /\d{6}-?[1-8]\d{6}/y, world.isKoreanDate, RRN],
  ],
  MX: [[letters(4), /[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[\dA-Z]\d/y, world.isMexican]],
  NL: [[digits(4, 6, 9), /\d{4}\.?\d{2}\.?\d{3}/y, europe.isDutch, BSN]],
  NO: [[digits(6, 11), /\d{6} ?\d{5}/y, europe.isNorwegian]],
  PL: [[digits(11), /\d{11}/y, europe.isPolish, words('pesel', 'numer ewidencyjny')]],
  PT: [[digits(3, 9), /[1-3]\d{2}( ?)\d{3}\1\d{3}/y, europe.isPortuguese, NIF]],
  RO: [[digits(13), /[1-8]\d{12}/y, europe.isRomanian]],
  RU: [
    [digits(3), /\d{3}-\d{3}-\d{3}[ -]\d{2}/y, europe.isRussianInsuranceId],
    [digits(11), /\d{11}/y, europe.isRussianInsuranceId, words('снилс', 'snils')],
  ],
  SE: [
    [digits(6, 8), /(?:(?:19|20)\d{2}|\d{2})\d{4}[-+]\d{4}/y, europe.isSwedish],
    [digits(12), /(?:19|20)\d{10}/y, europe.isSwedish],
    [digits(10), /\d{10}/y, europe.isSwedish, PERSONNUMMER],
  ],
  SG: [[letters(1), /[STFGM]\d{7}[A-Z]/y, world.isSingaporean]],
  TH: [
    [digits(1), /[1-8]-\d{4}-\d{5}-\d{2}-\d/y, world.isThai],
    [digits(13), /[1-8]\d{12}/y, world.isThai, either(words('thai id', 'citizen id'), /บัตรประชาชน|เลขประจำตัวประชาชน/)],
  ],
  TR: [
    [
      digits(11),
      /[1-9]\d{10}/y,
      europe.isTurkish,
      words('t\\.?c\\.?(?: kimlik)?', 'kimlik(?: no| numaras[ıi])?', 'tckn'),
    ],
  ],
  TW: [
    [
      letters(1),
      /[A-Z][12]\d{8}/y,
      world.isTaiwanese,
      either(words('national id', 'id(?: no| number| card)?'), /身[分份]證/),
    ],
  ],
  US: [
    [digits(3), /\d{3}-\d{2}-\d{4}/y, world.isSocialSecurityNumber],
    [digits(3, 9), /\d{3}([ .]?)\d{2}\1\d{4}/y, world.isSocialSecurityNumber, SSN],
  ],
  ZA: [[digits(13), /\d{10}[012]\d{2}/y, world.isSouthAfrican]],
};

/** All forms, one entry each. */
export const NATIONAL_IDS: readonly NationalId[] = Object.entries(FORMS).flatMap(([key, rows]) =>
  rows.map(([begins, form, isValid, around]) => ({
    countries: key.split('+') as PiiCountry[], // the keys of the table
    category: key === 'US' ? 'SSN' : 'NATIONAL_ID',
    begins,
    form,
    isValid,
    ...(around === undefined ? {} : { words: around }),
  })),
);
