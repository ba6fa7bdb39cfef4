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

test('a suggestion ends the sentence', () => {
  expect(`unknown name a${didYouMean('b')}`).toBe('unknown name a; did you mean b?');
  expect(didYouMean(undefined)).toBe('');
});
