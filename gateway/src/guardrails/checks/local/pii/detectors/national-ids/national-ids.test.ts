/** Our check digits against an independent library, on thousands of numbers of the form of each id. */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import * as europe from './european.ts';
import * as world from './worldwide.ts';

/** The library is CommonJS without exports: a module for each id. */
const load = createRequire(import.meta.url);
const validatorOf = (module: string): ((id: string) => boolean) => {
  // The shape of every module of the library.
  const { validate } = load(`stdnum/lib/cjs/${module}.js`) as { validate(id: string): { isValid: boolean } };
  return (id) => validate(id).isValid;
};

/** `#` stands for any digit, `?` for any letter, `@` for either; dates are in the past and in no century's overlap. */
const FORMS: readonly (readonly [module: string, ours: (id: string) => boolean, template: string])[] = [
  ['ar/cuit', world.isArgentine, '20#########'],
  ['at/vnr', europe.isAustrian, '1###150160'],
  ['au/tfn', world.isAustralian, '1########'],
  ['be/nn', europe.isBelgian, '600115#####'],
  ['bg/egn', europe.isBulgarian, '600115####'],
  ['br/cpf', world.isBrazilian, '123456###@@'],
  ['ca/sin', world.isCanadian, '1########'],
  ['ch/ssn', europe.isSwiss, '756##########'],
  ['cl/rut', world.isChilean, '1#######@'],
  ['cn/ric', world.isChinese, '11010519600115###@'],
  ['cz/rc', europe.isCzechOrSlovak, '600115####'],
  ['sk/rc', europe.isCzechOrSlovak, '600115####'],
  ['de/idnr', europe.isGermanTaxId, '112345678##'],
  ['de/svnr', europe.isGermanInsuranceId, '15150160?###'],
  ['ee/ik', europe.isBaltic, '3600115####'],
  ['es/dni', europe.isSpanish, '########?'],
  ['es/nie', europe.isSpanish, 'X#######?'],
  ['fi/hetu', europe.isFinnish, '150160-###@'],
  ['fr/nir', europe.isFrench, '1600175######@@'],
  ['gr/amka', europe.isGreek, '150160#####'],
  ['hk/hkid', world.isHongKong, 'A#######'],
  ['hr/oib', europe.isCroatian, '###########'],
  ['ie/pps', europe.isIrish, '#######?'],
  ['il/idnr', world.isIsraeli, '#########'],
  ['in/aadhaar', world.isAadhaar, '2###########'],
  ['it/codicefiscale', europe.isItalian, 'RSSMRA60A15H###?'],
  ['kr/rrn', world.isKorean, '600115-10#####'],
  ['lt/asmens', europe.isBaltic, '3600115####'],
  ['mx/curp', world.isMexican, 'BOXW600115HNERXN@#'],
  ['nl/bsn', europe.isDutch, '1########'],
  ['no/fodselsnummer', europe.isNorwegian, '15016033###'],
  ['pl/pesel', europe.isPolish, '600115#####'],
  ['pt/nif', europe.isPortuguese, '1########'],
  ['ro/cnp', europe.isRomanian, '160011522####'],
  ['se/personnummer', europe.isSwedish, '600115-####'],
  ['tr/tckimlik', europe.isTurkish, '1000000####'],
  ['tw/natid', world.isTaiwanese, '?1########'],
  ['za/idnr', world.isSouthAfrican, '6001155###08#'],
];

const SAMPLES = 3_000;
const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Numbers that are the same in every run. */
function createRandom(): (below: number) => number {
  let state = 12345;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

function* samplesOf(template: string): Generator<string> {
  const random = createRandom();
  const from = (characters: string): string => characters.charAt(random(characters.length));
  for (let i = 0; i < SAMPLES; i++) {
    yield template.replaceAll(/[#?@]/g, (kind) =>
      from({ '#': DIGITS, '?': LETTERS, '@': DIGITS + LETTERS }[kind] ?? ''),
    );
  }
}

describe('check digits', () => {
  test.for(FORMS)('of %s are those of the library', ([module, ours, template]) => {
    const isValid = validatorOf(module);
    const compact = (id: string): string => id.replaceAll('-', '');
    const valid: string[] = [];
    const different: string[] = [];
    for (const id of samplesOf(template)) {
      if (isValid(id)) valid.push(id);
      if (isValid(id) !== ours(compact(id))) different.push(id);
    }
    expect(different.slice(0, 5)).toEqual([]);
    expect(valid.length).toBeGreaterThan(0);
  });
});
