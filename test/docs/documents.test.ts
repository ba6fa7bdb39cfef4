/** Documents parse, link to what exists, and name commands that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { isObject } from '@gatehouse/crds';
import { API_VERSION, isKindName, parseResource } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { type Block, blocksOf, documents, linksOf, ROOT } from './documents.ts';

/** Who runs the shell blocks of a document; a document that is not here must have none. */
const RUN_BY: Readonly<Record<string, readonly string[]>> = {
  'DEVELOPMENT.md': ['test/docs/commands/development.test.ts'],
  'README.md': ['test/docs/commands/standalone.test.ts', 'test/e2e/e2e.test.ts'],
  'docs/behaviour/files-and-batches.md': ['test/docs/cohere-batches.test.ts'],
  'docs/guide/management-client.md': ['test/docs/commands/management-client.test.ts'],
  'docs/guide/messages.md': ['test/docs/commands/messages.test.ts'],
  'docs/guide/own-provider.md': ['test/docs/commands/own-provider.test.ts'],
  'docs/guide/batches.md': ['test/docs/commands/batches.test.ts'],
  'docs/guide/images-and-audio.md': ['test/docs/commands/images-and-audio.test.ts'],
  'docs/guide/prompts.md': ['test/docs/commands/prompts.test.ts'],
  'docs/guide/responses.md': ['test/docs/commands/responses.test.ts'],
  'docs/guide/standalone.md': ['test/docs/commands/standalone.test.ts'],
  'docs/guide/other-gateways.md': ['test/docs/commands/other-gateways.test.ts'],
  'docs/guide/kubernetes.md': ['test/chart/guide.test.ts'],
  'docs/guide/sidecars.md': ['test/chart/guide.test.ts'],
  'docs/guide/operations.md': ['test/chart/guide.test.ts'],
  'docs/guide/upgrade.md': ['test/chart/guide.test.ts'],
  'docs/guide/remove.md': ['test/chart/guide.test.ts'],
  'docs/guide/gitops.md': ['test/chart/guide.test.ts'],
};

const blocks = documents().flatMap(blocksOf);
const place = ({ document, line }: Pick<Block, 'document' | 'line'>): string => `${document}:${line}`;
const inLanguage = (...languages: readonly string[]) => blocks.filter(({ language }) => languages.includes(language));

describe('documents', () => {
  test('have code blocks of languages that are checked', () => {
    const unknown = blocks.filter(({ language }) => !['sh', 'yaml', 'json', 'text'].includes(language));
    expect(unknown.map(place)).toEqual([]);
  });

  test('have shell blocks only where a test runs them', () => {
    for (const block of inLanguage('sh')) expect(RUN_BY, place(block)).toHaveProperty([block.document]);
    for (const runner of Object.values(RUN_BY).flat()) expect(existsSync(join(ROOT, runner)), runner).toBe(true);
  });

  test('show YAML that parses, and resources that are valid', () => {
    for (const block of inLanguage('yaml', 'json')) {
      for (const document of parseAllDocuments(block.text)) {
        expect(document.errors, place(block)).toEqual([]);
        expect(problemsOf(document.toJS()), place(block)).toEqual([]);
      }
    }
  });

  test('link to files that exist', () => {
    const dead = documents()
      .flatMap(linksOf)
      .filter(({ target }) => !target.startsWith('#'))
      .filter(({ document, target }) => {
        const path = normalize(join(dirname(document), target.split('#')[0] ?? ''));
        return !existsSync(join(ROOT, path));
      });
    expect(dead.map((link) => `${place(link)} ${link.target}`)).toEqual([]);
  });

  test('name make targets and npm scripts that exist', () => {
    const makefile = readFileSync(join(ROOT, 'Makefile'), 'utf8');
    const targets = new Set([...makefile.matchAll(/^([a-z-]+):/gm)].map(([, name]) => name));
    for (const document of documents().filter((path) => !path.startsWith('docs/reference/'))) {
      const text = readFileSync(join(ROOT, document), 'utf8');
      for (const [, target] of text.matchAll(/(?:`|^)make ([a-z][a-z-]*)/gm)) {
        expect(targets, `${document}: make ${target}`).toContain(target);
      }
      for (const [, script = ''] of text.matchAll(/npm run (?:-s )?([a-z:]+)/g)) {
        expect(packageJson.scripts, document).toHaveProperty([script]);
      }
    }
  });
});

test('the hosted workflow runs .ci/run, and its cache key is made of files that exist', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/ci.yaml'), 'utf8');
  const { jobs } = parse(workflow);
  const steps: readonly { readonly run?: string }[] = jobs.lanes.steps;
  expect(steps.at(-1)?.run).toBe('.ci/run');
  const hashed = [...(/hashFiles\(([^)]*)\)/.exec(workflow)?.[1] ?? '').matchAll(/'([^']+)'/g)];
  expect(hashed.length).toBeGreaterThan(0);
  for (const [, path = ''] of hashed) expect(existsSync(join(ROOT, path.replace('/**', ''))), path).toBe(true);
});

/** The problems of a value that claims to be one of our resources, except features that are not served yet. */
function problemsOf(value: unknown): unknown {
  if (!isObject(value) || value['apiVersion'] !== API_VERSION) return [];
  const { kind } = value;
  if (typeof kind !== 'string' || !isKindName(kind)) return `no Kind ${String(kind)}`;
  const parsed = parseResource(kind, value);
  return parsed.ok ? [] : parsed.error.filter(({ code }) => code !== 'unsupported');
}
