/** Comments and documents cite what a reader of this repository can open. */
import { describe, expect, test } from 'vitest';
import { citesOutside, deadPages, type Finding, outsideCitations, textFiles } from './citations.ts';

const show = ({ file, line, text }: Finding): string => `${file}:${line} ${text}`;
const files = textFiles();

describe('what is cited', () => {
  test('is no document from outside the repository', () => {
    expect(files.flatMap(outsideCitations).map(show)).toEqual([]);
  });

  test('is a page that exists, with a heading that exists', () => {
    expect(files.flatMap(deadPages).map(show)).toEqual([]);
  });

  test('is looked for in every kind of text file', () => {
    for (const known of ['README.md', 'Makefile', 'gateway/src/main.ts', 'crds/package.json']) {
      expect(files).toContain(known);
    }
  });

  test.for([
    { line: '/** Waits for retries; behaviour-config-routing 5.1. */', want: true },
    { line: '/** Bounds the drain (DESIGN section 6). */', want: true },
    { line: ' * Source: spec/providers.md 1.8.', want: true },
    { line: '// a broken stream has no end (decision 8)', want: true },
    { line: '/** Masked headers (11.8). */', want: true },
    { line: '/** Retries: docs/behaviour/retries.md. */', want: false },
    { line: '/** Hop-by-hop headers (RFC 9110, section 7.6.1). */', want: false },
    { line: 'const share = Math.max(0.5, factor(1.25));', want: false },
    { line: "import { shared } from '../shared/rules.ts';", want: false },
  ])('in $line: $want', ({ line, want }) => {
    expect(citesOutside(line)).toBe(want);
  });
});
