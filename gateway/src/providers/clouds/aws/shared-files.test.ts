import { describe, expect, test } from 'vitest';
import { parseIni } from './shared-files.ts';

describe('a shared configuration file', () => {
  test('is read by sections; comments, nested settings and stray lines do not matter', () => {
    const sections = parseIni(
      'x=1\n[ a ]\n# c\n; d\nKEY = v = w\nnested =\n  inner = 1\n\n[profile  b]\nk=2\n[a]\nm=3',
    );
    expect([...(sections.get('a') ?? [])]).toEqual([
      ['key', 'v = w'],
      ['nested', ''],
      ['m', '3'],
    ]);
    expect(sections.get('profile b')?.get('k')).toBe('2');
  });
});
