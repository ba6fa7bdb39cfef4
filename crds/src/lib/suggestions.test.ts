import { expect, test } from 'vitest';
import { createSuggestions, didYouMean } from './suggestions.ts';

test('a document gets a few suggestions: each search costs time', () => {
  const suggest = createSuggestions();
  const found = Array.from({ length: 100 }, () => suggest('opnai', ['openai']));
  expect(found.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'openai'));
  expect(found.slice(8).every((name) => name === undefined)).toBe(true);
});

test('a search looks at the first names of a long list', () => {
  const names = Array.from({ length: 256 }, (_, i) => `${i}-is-something-else`);
  expect(createSuggestions()('opnai', [...names, 'openai'])).toBeUndefined();
  expect(createSuggestions()('opnai', [...names.slice(1), 'openai'])).toBe('openai');
});

test('the searches of a document share what they may compare, so that long names that look alike end them', () => {
  const alike = Array.from({ length: 256 }, (_, i) => `${'a'.repeat(60)}${1_000 + i}`);
  const suggest = createSuggestions();
  let looked = 0;
  function* counted(): Generator<string> {
    for (const name of alike) {
      looked += 1;
      yield name;
    }
  }
  expect(suggest('opnai', ['openai'])).toBe('openai');
  for (let search = 0; search < 6; search += 1) expect(suggest(`${'a'.repeat(60)}bbbb`, counted())).toBeUndefined();
  expect(looked).toBeLessThanOrEqual(alike.length);
  expect(suggest('opnai', ['openai'])).toBeUndefined();
});

test('a suggestion ends the sentence', () => {
  expect(`unknown name a${didYouMean('b')}`).toBe('unknown name a; did you mean b?');
  expect(`no provider @a${didYouMean('b', '@')}`).toBe('no provider @a; did you mean @b?');
  expect(didYouMean(undefined, '@')).toBe('');
});
