/** International bank account numbers: ISO 13616, lengths of the registry of SWIFT. */
import { isAlphanumeric, isAsciiLetter, isDigitAt, isWordAt } from '../../characters.ts';
import { mod97 } from '../check-digits.ts';
import type { Detect } from './detector.ts';

const LENGTHS: ReadonlyMap<string, number> = new Map(
  [
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24',
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32',
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24',
    'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30',
  ]
    .flatMap((line) => line.split(' '))
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const isSeparator = (character: string | undefined): boolean => character === ' ' || character === '-';

/** To be asked where a word begins. */
export const detectIban: Detect = (text, at) => {
  if (!isAsciiLetter(text.charCodeAt(at + 1)) || !isDigitAt(text, at + 2) || !isDigitAt(text, at + 3)) return undefined;
  const length = LENGTHS.get(text.slice(at, at + 2).toUpperCase());
  if (length === undefined) return undefined;
  let compact = '';
  let end = at;
  for (; compact.length < length; end++) {
    if (isAlphanumeric(text.charCodeAt(end))) compact += text[end];
    else if (!isSeparator(text[end]) || isSeparator(text[end - 1])) return undefined;
  }
  if (isWordAt(text, end) || mod97(compact.slice(4) + compact.slice(0, 4)) !== 1) return undefined;
  return { category: 'IBAN', start: at, end };
};
