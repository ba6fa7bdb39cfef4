/** Finds personal data in a text in one pass: what may begin at a character depends on the character alone. */
import type { PiiCategory, PiiCountry } from '@gatehouse/crds/guardrails';
import { isAlphanumeric, isDigit, isWordAt } from '../characters.ts';
import { type Folded, foldText } from '../fold.ts';
import { detectCard } from './detectors/card.ts';
import type { Detect, Finding } from './detectors/detector.ts';
import { detectEmail } from './detectors/email.ts';
import { detectIban } from './detectors/iban.ts';
import { detectIpv4, detectIpv6 } from './detectors/ip.ts';
import { detectNationalIds } from './detectors/national-ids/index.ts';
import { createPhoneDetector, type ParsePhone } from './detectors/phone.ts';
import { CLOSED, detectKey, detectUserInfo, type LongSecrets, OPEN } from './detectors/secrets.ts';
import { Findings } from './overlaps.ts';
import { nextPlace } from './places.ts';

export type { Finding } from './detectors/detector.ts';

export interface Scanner {
  /** What is found in a text, in order, without overlaps. */
  scan(text: string, options: ScanOptions): Promise<readonly Finding[]>;
}

export interface ScanOptions {
  /** Awaited between slices of the work. */
  turn(): Promise<void>;
  /** More text may follow: what has no end yet is found up to the end of the text. */
  readonly goesOn: boolean;
}

/** Places, and characters without one, between two looks at the clock. */
const CHUNK_PLACES = 256;
const CHUNK = 16_384;

const AT = 0x40;
const PLUS = 0x2b;
const PARENTHESIS = 0x28;
const COLON = 0x3a;
const HYPHEN = 0x2d;

interface ScannerOptions {
  readonly categories: readonly PiiCategory[];
  readonly countries: readonly PiiCountry[];
  /** Where something may begin. */
  readonly places?: typeof nextPlace;
}

/** All categories but phone numbers are looked for, so that what belongs to one is never taken for another. */
export function createScanner({ categories, countries, places = nextPlace }: ScannerOptions): Scanner {
  const wanted = new Set(categories);
  const detectIds = detectNationalIds(countries);
  const wantsPhones = wanted.has('PHONE_NUMBER');
  let parsePhone: ParsePhone | undefined;
  /** For one text. */
  const loadDetectors = async (goesOn: boolean): Promise<Detectors> => {
    if (wantsPhones) parsePhone ??= await loadPhones();
    const phones = parsePhone === undefined ? undefined : createPhoneDetector(parsePhone, countries).detect;
    return detectorsBy(detectIds, { phones, secrets: goesOn ? OPEN : CLOSED });
  };
  return {
    scan: async (text, { turn, goesOn }) => {
      const folded = await foldText(text, turn);
      const end = folded.text.length;
      const found = new Findings();
      let detectors: Detectors | undefined;
      let looked = 0;
      for (let at = 0; at < end; ) {
        const until = Math.min(end, at + CHUNK);
        at = places(folded.text, at, until);
        if (at === until || ++looked % CHUNK_PLACES === 0) await turn();
        if (at === until) continue;
        detectors ??= await loadDetectors(goesOn);
        at = detectAt(folded.text, at, detectors, found) + 1;
      }
      return inOriginal(
        found.list.filter(({ category }) => wanted.has(category)),
        folded,
        turn,
      );
    },
  };
}

/** With positions in the original. */
async function inOriginal(
  folded: readonly Finding[],
  { original }: Folded,
  turn: () => Promise<void>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { category, start, end } of folded) {
    findings.push({ category, start: original(start), end: original(end - 1) + 1 });
    if (findings.length % CHUNK_PLACES === 0) await turn();
  }
  return findings;
}

interface Detectors {
  readonly number: readonly Detect[];
  readonly word: readonly Detect[];
  readonly sign: ReadonlyMap<number, readonly Detect[]>;
}

interface Choice {
  readonly phones: Detect | undefined;
  readonly secrets: LongSecrets;
}

function detectorsBy(ids: Detect, { phones, secrets: { token, privateKey } }: Choice): Detectors {
  const optional = phones === undefined ? [] : [phones];
  return {
    number: [detectCard, ids, detectIpv4, detectIpv6, ...optional],
    word: [detectKey, token, detectIban, ids, detectIpv6],
    sign: new Map([
      [AT, [detectEmail]],
      [PLUS, optional],
      [PARENTHESIS, optional],
      [COLON, [detectUserInfo, detectIpv6]],
      [HYPHEN, [privateKey]],
    ]),
  };
}

const NONE: readonly Detect[] = [];

/** Adds what is found at a position; returns the last position that needs no other look. */
function detectAt(text: string, at: number, detectors: Detectors, found: Findings): number {
  const code = text.charCodeAt(at);
  const candidates = isAlphanumeric(code)
    ? isWordAt(text, at - 1)
      ? NONE
      : isDigit(code)
        ? detectors.number
        : detectors.word
    : (detectors.sign.get(code) ?? NONE);
  for (const detect of candidates) {
    const finding = detect(text, at);
    if (finding === undefined) continue;
    found.add(finding);
    if (finding.category === 'SECRET') return Math.max(at, finding.end - 1);
  }
  return at;
}

/** Tables and code of 2 MB, so loaded when phone numbers are looked for. */
async function loadPhones(): Promise<ParsePhone> {
  return (await import('libphonenumber-js/min')).parsePhoneNumberFromString;
}
