/** Comments and documents cite what a reader of this repository can open. */
import { describe, expect, test } from 'vitest';
import { deadPages, type Finding, outsideCitations, textFiles } from './citations.ts';

/** Folders in which documents from outside are still cited. The list only shrinks. */
const NOT_CLEAN_YET: readonly string[] = ['gateway/src/listener/', 'gateway/src/upstream/'];

const show = ({ file, line, text }: Finding): string => `${file}:${line} ${text}`;
const files = textFiles();

describe('what is cited', () => {
  test('is no document from outside the repository', () => {
    const checked = files.filter((file) => !NOT_CLEAN_YET.some((folder) => file.startsWith(folder)));
    expect(checked.flatMap(outsideCitations).map(show)).toEqual([]);
  });

  test('is a page that exists, with a heading that exists', () => {
    expect(files.flatMap(deadPages).map(show)).toEqual([]);
  });

  test('is looked for in every kind of text file', () => {
    for (const known of ['README.md', 'Makefile', 'gateway/src/main.ts', 'crds/package.json']) {
      expect(files).toContain(known);
    }
  });
});
