/** The pages for contributors name files, functions and members that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './documents.ts';

const FOLDER = 'docs/contributing';
const PAGES = readdirSync(join(ROOT, FOLDER)).filter((name) => name.endsWith('.md'));

const wordsOf = (page: string): string[] =>
  [...readFileSync(join(ROOT, FOLDER, page), 'utf8').matchAll(/`([^`\n]+)`/g)].flatMap(([, word = '']) => word);

/** Paths of the repository; what stands for a name ends a path. */
const pathsOf = (page: string): string[] =>
  wordsOf(page)
    .filter((word) => /^(?:crds|docs|gateway|operator|standalone|test|charts|scripts)\/[^ ]*$/.test(word))
    .map((word) => word.replace(/<.*$/, '').replace(/\/$/, ''));

describe.for(PAGES)('%s', (page) => {
  test('names paths that exist', () => {
    expect(pathsOf(page).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

test('the page of checks names what their files have', () => {
  const sources = {
    'crds/src/guardrails/check.ts': [
      'defineCheckEntry',
      'aliases',
      'summary',
      'phases',
      'parameters',
      'patterns',
      'callsOut',
    ],
    'gateway/src/guardrails/contract.ts': ['defineCheck', 'nextSlice', 'regex'],
    'gateway/src/guardrails/answers.ts': ['undecided'],
    'gateway/src/guardrails/testing.ts': ['runCheck'],
    'gateway/src/guardrails/outbound/index.ts': ['callService', 'faultOf'],
    'crds/src/guardrails/checks/fields.ts': ['re2Pattern'],
    'crds/src/guardrails/calls.ts': ['timeout', 'forwardHeaders'],
  };
  const said = wordsOf('add-a-check.md').join(' ');
  const words = Object.entries(sources).flatMap(([file, names]) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return names.map((name) => [file, name, said.includes(name), new RegExp(`\\b${name}\\b`).test(text)]);
  });
  expect(words.filter(([, , isSaid, exists]) => !isSaid || !exists)).toEqual([]);
});

test('the page of checks says every member of an entry', () => {
  const text = readFileSync(join(ROOT, 'crds/src/guardrails/check.ts'), 'utf8');
  const [, members = ''] = /interface CheckEntry<[^{]*{([\s\S]+?)\n}/.exec(text) ?? [];
  const names = [...members.matchAll(/^ {2}(?:readonly )?(\w+)[?:(]/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => !wordsOf('add-a-check.md').includes(name))).toEqual([]);
});
