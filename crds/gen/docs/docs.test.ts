import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../src/errors/index.ts';
import { CHECK_ENTRIES } from '../../src/guardrails/index.ts';
import { KINDS } from '../../src/kinds/index.ts';
import { PROVIDER_CATALOGUE } from '../../src/providers/index.ts';
import type { Structural } from '../structural.ts';
import { fieldRows, typeText } from './fields.ts';
import { referencePages } from './index.ts';
import { page, table } from './markdown.ts';

const LIST = { 'x-kubernetes-list-type': 'atomic', maxItems: 3 } as const;

describe('a type in words', () => {
  test.for<{ node: Structural; want: string }>([
    { node: { type: 'boolean' }, want: 'boolean' },
    { node: { type: 'string', maxLength: 9 }, want: 'text, at most 9 characters' },
    { node: { type: 'string', maxLength: 9, pattern: '^a$' }, want: 'text, at most 9 characters, like `^a$`' },
    { node: { type: 'string', format: 'date-time', maxLength: 40 }, want: 'time' },
    { node: { type: 'string', enum: ['a', 'b'] }, want: '"a", "b"' },
    { node: { type: 'integer', minimum: 1, maximum: 9 }, want: 'integer 1 to 9' },
    { node: { type: 'integer', minimum: 0 }, want: 'integer from 0' },
    { node: { type: 'number' }, want: 'number' },
    { node: { 'x-kubernetes-int-or-string': true }, want: 'quantity' },
    { node: { 'x-kubernetes-preserve-unknown-fields': true }, want: 'any' },
    { node: { type: 'array', items: { type: 'object' }, ...LIST }, want: 'list of objects, at most 3' },
    { node: { type: 'array', items: { type: 'boolean' }, ...LIST, minItems: 1 }, want: 'list of boolean, 1 to 3' },
    {
      node: { type: 'array', items: { type: 'boolean' }, maxItems: 3, 'x-kubernetes-list-type': 'set' },
      want: 'list of boolean, at most 3, distinct',
    },
    { node: { type: 'object', additionalProperties: {}, maxProperties: 2 }, want: 'map of text, at most 2 members' },
    { node: { type: 'object', properties: {} }, want: 'object' },
  ])('$want', ({ node, want }) => {
    expect(typeText(node)).toBe(want);
  });
});

test('fields are listed depth first, down to the given depth', () => {
  const leaf: Structural = { type: 'boolean', description: 'x is.' };
  const inner: Structural = { type: 'object', required: ['x'], properties: { x: leaf } };
  const node: Structural = {
    type: 'object',
    properties: { list: { type: 'array', items: inner, ...LIST }, member: { ...inner, default: null } },
  };
  const paths = (stop?: (path: string) => boolean) => fieldRows(node, '', stop).map(({ path }) => path);
  expect(paths()).toEqual(['list', 'list[].x', 'member', 'member.x']);
  expect(paths((path) => path === 'list')).toEqual(['list', 'member', 'member.x']);
  expect(fieldRows(node, '').map(({ required }) => required)).toEqual([false, true, false, true]);
});

describe('Markdown', () => {
  test('cells cannot break a table', () => {
    expect(table(['a|b'], [['1\n2'], ['`x|y`']])).toBe('| a\\|b |\n| --- |\n| 1 2 |\n| `x\\|y` |');
  });

  test('empty parts of a page leave no gap', () => {
    expect(page('T', ['a', '', 'b'])).toBe('# T\n\na\n\nb\n');
  });
});

describe('the reference', () => {
  const pages = referencePages(Object.values(KINDS));

  test('has a page per Kind, reached from the index', () => {
    const links = [...(pages.get('kinds/index.md') ?? '').matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
    expect(links).toHaveLength(Object.keys(KINDS).length);
    for (const link of links) expect(pages.has(`kinds/${link}`)).toBe(true);
  });

  test('names every error and every provider', () => {
    for (const code of Object.keys(ERRORS)) expect(pages.get('errors.md')).toContain(`\`${code}\``);
    for (const id of PROVIDER_CATALOGUE.keys())
      expect(pages.get('providers.md')).toMatch(new RegExp(`(\`${id}\`|## ${id}\n)`));
  });

  test('says of every parameter of every check what it is', () => {
    const checks = pages.get('checks.md') ?? '';
    const sections = new Map(checks.split('\n## ').map((text) => [text.split('\n')[0], text]));
    for (const { id, parameters, credential, aliases = [] } of CHECK_ENTRIES) {
      const section = sections.get(id) ?? '';
      for (const name of Object.keys(parameters.shape)) {
        const [, type, fallback, meaning] =
          new RegExp(`^\\| \`${name}\`.*? \\| (.+) \\| (.*) \\| (.+) \\|$`, 'm').exec(section) ?? [];
        expect([type, fallback, meaning], `${id} ${name}`).not.toContain(undefined);
      }
      for (const { name } of credential?.fields ?? []) expect(section).toContain(`| \`${name}\` |`);
      for (const alias of aliases) expect(section).toContain(`\`${alias}\``);
    }
  });

  test('shows both spellings of a config member', () => {
    const row = /^\| `retry\.onStatusCodes` \| `retry\.on_status_codes` \|/m;
    expect(pages.get('config.md')).toMatch(row);
    expect(pages.get('config.md')).toMatch(/^\| `secretRef` \| {2}\|/m);
  });

  test('links only to pages that exist', () => {
    for (const [path, content] of pages) {
      for (const [, link = ''] of content.matchAll(/\]\(([^)#]+\.md)\)/g)) {
        if (link.startsWith('../behaviour/')) continue;
        expect(pages.has(new URL(link, `file:///${path}`).pathname.slice(1))).toBe(true);
      }
    }
  });
});
