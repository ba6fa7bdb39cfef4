/** Lengths and check digits against an independent library. */
import { countrySpecs, isValidIBAN } from 'ibantools';
import { describe, expect, test } from 'vitest';
import { detectIban } from './iban.ts';

/** The account numbers of the examples of the registry, without check digits. */
const ACCOUNTS: readonly (readonly [country: string, account: string])[] = [
  ['AT', '1904300234573201'],
  ['BE', '539007547034'],
  ['CH', '00762011623852957'],
  ['DE', '370400440532013000'],
  ['ES', '21000418450200051332'],
  ['FR', '20041010050500013M02606'],
  ['GB', 'NWBK60161331926819'],
  ['IT', 'X0542811101000000123456'],
  ['NL', 'ABNA0417164300'],
  ['NO', '86011117947'],
  ['PL', '109010140000071219812874'],
  ['SA', '80000000608010167519'],
];

/** Their accounts begin with FR and FI. */
const TERRITORIES = ['AX', 'GF', 'GP', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'];

const found = (text: string): string | undefined => {
  const finding = detectIban(text, 0);
  return finding === undefined ? undefined : text.slice(finding.start, finding.end);
};

describe('bank account numbers', () => {
  test.for(ACCOUNTS)('of %s have the one pair of check digits that the library accepts', ([country, account]) => {
    const all = Array.from({ length: 97 }, (_, i) => `${country}${String(i + 2).padStart(2, '0')}${account}`);
    const accepted = all.filter((iban) => found(iban) !== undefined);
    expect(accepted).toEqual(all.filter((iban) => isValidIBAN(iban)));
    expect(accepted).toHaveLength(1);
  });

  test('are known for every country of the registry with its length', () => {
    const known = Object.entries(countrySpecs).filter(
      ([country, { IBANRegistry }]) => IBANRegistry === true && !TERRITORIES.includes(country),
    );
    const missing = known.filter(([country, { chars }]) => {
      const account = '1'.repeat((chars ?? 0) - 4);
      return !Array.from({ length: 97 }, (_, i) => `${country}${String(i + 2).padStart(2, '0')}${account}`).some(
        (iban) => found(iban) === iban,
      );
    });
    expect(missing.map(([country]) => country)).toEqual([]);
  });

  test.for([
    ['DE89 3704 0044 0532 0130 00 today', 'DE89 3704 0044 0532 0130 00'],
    ['de89370400440532013000', 'de89370400440532013000'],
    ['DE89-3704-0044-0532-0130-00.', 'DE89-3704-0044-0532-0130-00'],
    ['DE89370400440532013001', undefined],
    ['DE8937040044053201300', undefined],
    ['DE893704004405320130000', undefined],
    ['XX89370400440532013000', undefined],
  ] as const)('%s', ([text, expected]) => {
    expect(found(text)).toBe(expected);
  });
});
