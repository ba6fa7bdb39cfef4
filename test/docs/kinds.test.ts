/** The written pages of the Kinds: there is one for each, with examples that are tested and reasons that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REASONS } from '@gatehouse/crds/conditions';
import { examplesOf, toFileName } from '@gatehouse/crds/gen';
import { isKindName, KINDS, type KindName, UNSUPPORTED } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf, ROOT } from './documents.ts';

const FOLDER = 'docs/kinds';
const NAMES = Object.keys(KINDS).filter(isKindName);

const pageOf = (kind: KindName): string => `${FOLDER}/${toFileName(kind)}.md`;
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const examplesIn = (page: string) =>
  blocksOf(page)
    .filter(({ language }) => language === 'yaml')
    .map(({ text }) => parse(text));

/** Rows of the tables whose columns are reason, condition and remedy. */
const reasonRows = (page: string): readonly (readonly [reason: string, conditions: readonly string[]])[] =>
  [...textOf(page).matchAll(/^\| `(\w+)`\s*\| (`\w+`(?:, `\w+`)*)\s*\|/gm)].map(([, reason = '', conditions = '']) => [
    reason,
    conditions.replaceAll('`', '').split(', '),
  ]);

describe.each(NAMES)('the page of %s', (kind) => {
  const page = pageOf(kind);

  test('exists, is in the index and links to the reference', () => {
    expect(existsSync(join(ROOT, page))).toBe(true);
    expect(textOf(`${FOLDER}/README.md`)).toContain(`[${kind}](${page.slice(FOLDER.length + 1)}`);
    expect(textOf(page)).toContain(`](../reference/kinds/${toFileName(kind)}.md)`);
  });

  test('shows examples that the schema tests check', () => {
    const shown = examplesIn(page).filter((example) => example.kind === kind);
    expect(shown.length).toBeGreaterThan(0);
    const checked = examplesOf(KINDS[kind]).filter(({ valid }) => valid);
    for (const example of shown) expect(checked.map(({ object }) => object)).toContainEqual(example);
  });

  test('has every part', () => {
    const headings = [...textOf(page).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Example', 'Fields that matter', 'Behaviour', 'Status and debugging', 'Refused today']);
  });

  test('names every field that is refused', () => {
    const [, refused = ''] = textOf(page).split('## Refused today');
    const fields = UNSUPPORTED.flatMap((row) => row.fields[kind] ?? []);
    const names = fields.map((field) => field.split('.').at(-1) ?? '');
    for (const name of names) expect(refused, name).toContain(name === 'type' ? 'tokens' : name);
  });
});

test('reasons in the pages exist and belong to the condition beside them', () => {
  const pages = readdirSync(join(ROOT, FOLDER)).map((name) => `${FOLDER}/${name}`);
  const rows = pages.flatMap(reasonRows);
  expect(rows.length).toBeGreaterThan(NAMES.length);
  for (const [reason, conditions] of rows) {
    expect(REASONS).toHaveProperty(reason);
    const { on }: { readonly on: readonly string[] } = REASONS[reason as keyof typeof REASONS]; // checked above
    for (const condition of conditions) expect(on, reason).toContain(condition);
  }
});
