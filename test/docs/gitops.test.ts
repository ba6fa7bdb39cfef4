/** The Applications of the guide are those that are tested with Argo CD. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { blocksOf } from './documents.ts';

const APPLICATIONS = new URL('../../charts/argo/applications.yaml', import.meta.url);

test('the guide shows Applications of the complete set', () => {
  const complete = parseAllDocuments(readFileSync(APPLICATIONS, 'utf8')).map((document): unknown => document.toJS());
  const shown = blocksOf('docs/guide/gitops.md').filter(({ text }) => text.includes('kind: Application'));
  expect(shown.length).toBeGreaterThan(0);
  for (const { text } of shown) expect(complete).toContainEqual(parse(text));
});
