/** What the code and the guides name is in the reference: headers, variables, metrics. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documents, ROOT } from './documents.ts';

const reference = documents()
  .filter((path) => path.startsWith('docs/reference/'))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');
const guides = documents()
  .filter((path) => !path.startsWith('docs/reference/') && !path.startsWith('docs/adr/'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

const sources = ['crds/src', 'gateway/src', 'operator/src', 'standalone/src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !/\/(mock-provider|testing|telemetry\/mask)\b/.test(path)) // masks what older clients send, too
    .map((path) => ({ path: path.slice(ROOT.length), text: readFileSync(path, 'utf8') })),
);

/** `x-gw-<field of a provider>` stands as its ending in the tables of providers. */
const isKnownHeader = (name: string): boolean =>
  reference.includes(`\`${name}\``) || reference.includes(`\`${name.replace('x-gw-', '').replaceAll('-', '_')}\``);

const isKnown = (name: string): boolean => reference.includes(`\`${name}`);

const named = (files: readonly { path: string; text: string }[], pattern: RegExp) =>
  files.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([, name = '']) => ({ path, name })));

describe('the reference', () => {
  test('has every header that the code reads or writes', () => {
    const used = named(sources, /'(x-gw-[a-z0-9-]*[a-z0-9])'/g);
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter(({ name }) => !isKnownHeader(name))).toEqual([]);
  });

  test('has every environment variable that the code or a guide names', () => {
    const used = [...named(sources, /'(GATEHOUSE_[A-Z_]*[A-Z])'/g), ...named(guides, /\b(GATEHOUSE_[A-Z_]*[A-Z])\b/g)];
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter(({ name }) => !isKnown(name) && !name.startsWith('GATEHOUSE_SECRET_'))).toEqual([]);
  });

  test('has every metric that the code or a guide names', () => {
    const used = named([...sources, ...guides], /['"`](gatehouse_[a-z_]*[a-z])\b/g);
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter(({ name }) => !isKnown(name))).toEqual([]);
  });
});
