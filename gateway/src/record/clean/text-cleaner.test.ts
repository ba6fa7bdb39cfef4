import { describe, expect, test } from 'vitest';
import { AUTOMATA } from '../../lib/automata.ts';
import { compileScrubber, type Scrubber } from '../../lib/scrub.ts';
import { createCleaner } from './document-cleaner.ts';
import { createTextCleaner } from './text-cleaner.ts';

const made = (): number => AUTOMATA.lasting.made + AUTOMATA.passing.made;

const credentials = (name: string, count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at}z`.padEnd(length, `${at}${name}`));
const headersOf = (values: readonly string[]) => values.map((value, at) => [`x-${at}-api-key`, value] as const);

/** Different ones of the credentials in each, and secrets of the target. */
const textsOf = (values: readonly string[], secrets: readonly string[]): readonly string[] =>
  Array.from({ length: 60 }, (_, at) => {
    const [value, secret] = [values[at % values.length], secrets[at % secrets.length]];
    return [`said ${value}`, `said ${secret}`, `said ${value}${secret}`][at % 3] ?? '';
  });

type Clean = (text: string) => string;
const cleaners: Readonly<Record<string, (values: readonly string[], targets: readonly Scrubber[]) => Clean>> = {
  texts: (values, targets) =>
    createTextCleaner({ headers: () => headersOf(values), scrubbers: targets.map((each) => () => each) }).clean,
  documents: (values, targets) =>
    createCleaner({
      request: { headers: () => headersOf(values) },
      attempts: targets.map((each) => ({ captured: { scrubber: () => each } })),
    } as unknown as Parameters<typeof createCleaner>[0]).clean, // it reads no more
};

describe.for(Object.keys(cleaners))('of one record, for its %s', (kind) => {
  test.for([
    { count: 1, length: 40 },
    { count: 16, length: 300 },
  ])('one automaton is made, however many texts hold which of $count credentials', ({ count, length }) => {
    const values = credentials(`${kind}${count}v`, count, length);
    const secrets = credentials(`${kind}${count}s`, 2, 40);
    const targets = secrets.map((secret) => compileScrubber([secret, values[0] ?? '']));
    const clean = cleaners[kind]?.(values, targets);
    const before = made();
    expect(clean?.('said nothing')).toBe('said nothing');
    expect(made()).toBe(before);
    for (const text of textsOf(values, secrets)) expect(clean?.(text)).toBe('said [redacted]');
    expect(made()).toBe(before + 1);
  });
});

test('of many credentials further ones, which are looked for as they are, have one more', () => {
  const values = credentials('further', 40, 40);
  const target = compileScrubber(['further-secret-of-a-target']);
  const { clean } = createTextCleaner({ headers: () => headersOf(values), scrubbers: [() => target] });
  const before = made();
  for (const text of textsOf(values, ['further-secret-of-a-target'])) expect(clean(text)).toBe('said [redacted]');
  expect(made()).toBe(before + 2);
});

test('with more than are looked for all texts are left out, and nothing is made', () => {
  const values = credentials('many', 300, 40);
  const { clean, mayFind } = createTextCleaner({ headers: () => headersOf(values), scrubbers: [] });
  const before = made();
  for (const text of ['said nothing', `said ${values[299]}`, 'a'.repeat(20_000)])
    expect([mayFind(text), clean(text)]).toEqual([true, '[redacted]']);
  expect(made()).toBe(before);
});

test('what is made for the credentials of calls does not displace what is made for those of accounts', () => {
  const account = compileScrubber(['secret-of-an-account']);
  expect(account.text('secret-of-an-account')).toBe('[redacted]');
  const before = AUTOMATA.lasting.made;
  for (let call = 0; call < 300; call += 1) {
    const values = credentials(`call${call}`, 2, 3_000);
    const { clean } = createTextCleaner({ headers: () => headersOf(values), scrubbers: [() => account] });
    expect(clean(`said ${values[1]}`)).toBe('said [redacted]');
  }
  expect(account.text('secret-of-an-account')).toBe('[redacted]');
  expect(AUTOMATA.lasting.made).toBe(before);
});
