import { expect, test } from 'vitest';
import { createStore } from './store.ts';

test('reads what was stored, until it is deleted', () => {
  const store = createStore<{ name: string }>({ maxEntries: 2, maxBytes: 100 });
  store.set('a', { name: 'ä' }, Buffer.from('one'));
  store.set('b', { name: 'b' });
  expect(store.get('a')).toEqual({ about: { name: 'ä' }, content: Buffer.from('one') });
  expect(store.get('b')?.content).toHaveLength(0);
  expect(store.list()).toEqual([{ name: 'ä' }, { name: 'b' }]);
  expect(store.delete('a')).toBe(true);
  expect(store.get('a')).toBeUndefined();
});

test.for([
  { rule: 'content', about: '', content: Buffer.alloc(58) },
  { rule: 'what is said of it', about: 'x'.repeat(58), content: Buffer.alloc(0) },
  { rule: 'letters of several bytes', about: 'ä'.repeat(29), content: Buffer.alloc(0) },
  { rule: 'both', about: 'x'.repeat(29), content: Buffer.alloc(29) },
])('counts $rule of an entry against its bytes', ({ about, content }) => {
  const store = createStore<string>({ maxEntries: 9, maxBytes: 119 });
  store.set('a', about, content);
  store.set('b', about, content);
  expect(store.list()).toEqual([about]);
  expect(store.get('a')).toBeUndefined();
});
