import { isObject } from '@gatehouse/crds';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { type Edit, editObject, removeObject, UneditableText } from './index.ts';

const TEXT = `# Rules of the team
apiVersion: gatehouse.dev/v1alpha1
kind: RateLimitPolicy
metadata: { name: slow, namespace: "team-a" }
spec:
  unit: rpm   # per minute

  # ten are enough
  value: 10
  conditions:
    - key: model   # which
      values: ['@openai/*']
  groupBy: [ { key: api_key } ]
---
# another one
kind: Other
spec: {a: 1,   b: 2}
`;
const PLACE = { document: 0, path: [] };
const edit = (...edits: Edit[]): string => editObject(TEXT, PLACE, edits);

describe('an edit', () => {
  test.for<{ rule: string; edit: Edit; from: string; to: string }>([
    {
      rule: 'replaces a scalar and keeps its comment',
      edit: { path: ['spec', 'unit'], value: 'rph' },
      from: 'unit: rpm ',
      to: 'unit: rph ',
    },
    { rule: 'keeps quotes', edit: { path: ['metadata', 'namespace'], value: 'b' }, from: '"team-a"', to: '"b"' },
    {
      rule: 'adds a member behind the last one',
      edit: { path: ['spec', 'description'], value: 'Why: so' },
      from: '  groupBy: [ { key: api_key } ]\n',
      to: '  groupBy: [ { key: api_key } ]\n  description: "Why: so"\n',
    },
    {
      rule: 'adds a member to a map in flow style',
      edit: { path: ['metadata', 'annotations'], value: { a: 'b' } },
      from: '"team-a" }',
      to: '"team-a", annotations: {"a":"b"} }',
    },
    {
      rule: 'makes the maps on the way',
      edit: { path: ['spec', 'a', 'b'], value: 1 },
      from: '  groupBy: [ { key: api_key } ]\n',
      to: '  groupBy: [ { key: api_key } ]\n  a:\n    b: 1\n',
    },
    { rule: 'takes a line away', edit: { path: ['spec', 'value'], value: undefined }, from: '  value: 10\n', to: '' },
    {
      rule: 'replaces a list in block style',
      edit: { path: ['spec', 'conditions'], value: [{ key: 'user' }] },
      from: "  conditions:\n    - key: model   # which\n      values: ['@openai/*']\n",
      to: '  conditions:\n    - key: user\n',
    },
    {
      rule: 'replaces a list in flow style',
      edit: { path: ['spec', 'groupBy'], value: [{ key: 'user' }] },
      from: '[ { key: api_key } ]',
      to: '[{"key":"user"}]',
    },
    {
      rule: 'turns a scalar into a map',
      edit: { path: ['spec', 'value'], value: { a: 1 } },
      from: '  value: 10\n',
      to: '  value:\n    a: 1\n',
    },
    {
      rule: 'goes into an item of a list',
      edit: { path: ['spec', 'conditions', 0, 'key'], value: 'user' },
      from: 'key: model ',
      to: 'key: user ',
    },
  ])('$rule', ({ edit: given, from, to }) => {
    expect(TEXT).toContain(from);
    expect(edit(given)).toBe(TEXT.replace(from, to));
  });

  test('of a document leaves the others alone, byte by byte', () => {
    const changed = editObject(TEXT, { document: 1, path: [] }, [{ path: ['spec', 'b'], value: 3 }]);
    expect(changed).toBe(TEXT.replace('b: 2', 'b: 3'));
  });

  test('of an item of a list in JSON stays JSON', () => {
    const text = '{"kind":"List","items":[{"name":"a","spec":{}},{"name":"b","spec":{"x":1}}]}\n';
    const changed = editObject(text, { document: 0, path: ['items', 1] }, [
      { path: ['spec', 'x'], value: 2 },
      { path: ['spec', 'y'], value: 'z' },
    ]);
    expect(changed).toBe('{"kind":"List","items":[{"name":"a","spec":{}},{"name":"b","spec":{"x":2, "y": "z"}}]}\n');
    expect(JSON.parse(changed)).toBeDefined();
  });

  test('of a value that others share by an alias changes nothing else', () => {
    const text = 'a: &shared # kept\n  x: 1\nb: *shared\n';
    const changed = editObject(text, PLACE, [{ path: ['b', 'x'], value: 2 }]);
    expect(parseAllDocuments(changed)[0]?.toJS()).toEqual({ a: { x: 1 }, b: { x: 2 } });
  });

  test('of text that is no YAML is refused', () => {
    expect(() => editObject('a: [', PLACE, [])).toThrow(UneditableText);
  });
});

describe('a removal', () => {
  test('of a document keeps the others', () => {
    expect(removeObject(TEXT, { document: 1, path: [] })).toBe(TEXT.slice(0, TEXT.indexOf('---')));
    expect(removeObject(TEXT, { document: 0, path: [] })).toBe(TEXT.slice(TEXT.indexOf('---')));
  });

  test('of the only document leaves nothing', () => {
    expect(removeObject('# note\nkind: A\n', PLACE)).toBeUndefined();
  });

  test('of an item of a list keeps the others', () => {
    const text = 'kind: List\nitems:\n  - name: a\n    x: 1\n  # about b\n  - name: b\n  - name: c # last\n';
    expect(removeObject(text, { document: 0, path: ['items', 1] })).toBe(text.replace('  - name: b\n', ''));
    expect(removeObject(text, { document: 0, path: ['items', 2] })).toBe(text.replace('  - name: c # last\n', ''));
  });
});

/** Edits are differences of maps: they go into no other value. */
const leadsThroughMaps = (document: unknown, path: readonly string[]): boolean => {
  let node: unknown = document;
  for (const step of path) {
    if (node === undefined) return true;
    if (!isObject(node)) return false;
    node = Object.hasOwn(node, step) ? node[step] : undefined;
  }
  return true;
};

describe('whatever the document and the edit', () => {
  const key = fc.constantFrom('a', 'b', 'spec', 'true', 'x y', '1', '-');
  const scalar = fc.oneof(
    fc.constantFrom('', 'text', 'a: b', '# c', 'line\nbreak', '*a', '- x', ' x', 'null', '1'),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const { map } = fc.letrec<{ value: unknown; map: Record<string, unknown> }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, scalar, tie('map'), fc.array(tie('value'), { maxLength: 3 })),
    map: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  }));

  test('the field has its value, other documents have their bytes, and comments of other lines stay', () => {
    fc.assert(
      fc.property(
        map,
        fc.array(key, { minLength: 1, maxLength: 3 }),
        fc.option(map, { nil: undefined }),
        (document, path, value) => {
          const before = '# first\n---\n';
          const after = '---\n# last\nkind:   Other # kept\n';
          const body = Object.keys(document).length === 0 ? '{}\n' : stringify(document, { lineWidth: 0 });
          const text = `${before}kind: X # about X\n${body === '{}\n' ? '' : body}${after}`;
          fc.pre(leadsThroughMaps(document, path));
          const place = { document: parseAllDocuments(text).length - 2, path: [] };
          const changed = editObject(text, place, [{ path, value }]);
          expect(changed.endsWith(after)).toBe(true);
          expect(changed).toContain('kind: X # about X\n');
          const read: unknown = path.reduce<unknown>(
            (node, step) => (typeof node === 'object' && node !== null ? Reflect.get(node, step) : undefined),
            parseAllDocuments(changed).at(-2)?.toJS(),
          );
          if (value !== undefined && typeof read === 'object') expect(read).toEqual(value);
        },
      ),
    );
  });
});
