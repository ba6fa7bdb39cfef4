import { describe, expect, test } from 'vitest';
import { type FieldPath, parseText } from './documents.ts';

const at = (text: string, path: FieldPath, document = 0): string => {
  const { documents } = parseText(text);
  const { line, column } = documents[document]?.locate(path) ?? { line: 0, column: 0 };
  return `${line}:${column}`;
};

const TWO = `# a comment
kind: A
spec:
  list:
    - name: x
      deep: &shared
        a: 1
    - name: y
      deep: *shared
---
kind: B
spec: {}
`;

describe('a field', () => {
  test.for([
    { rule: 'of the first level', path: ['kind'], want: '2:1' },
    { rule: 'below', path: ['spec', 'list'], want: '4:3' },
    { rule: 'that is an item', path: ['spec', 'list', 1], want: '8:7' },
    { rule: 'of an item', path: ['spec', 'list', 1, 'name'], want: '8:7' },
    { rule: 'behind an alias', path: ['spec', 'list', 1, 'deep', 'a'], want: '7:9' },
    { rule: 'that is missing stands with its parent', path: ['spec', 'list', 0, 'nothing', 3], want: '5:7' },
    { rule: 'that is no item stands with its list', path: ['spec', 'list', 7], want: '4:3' },
    { rule: 'of a scalar stands with the scalar', path: ['kind', 'x'], want: '2:1' },
    { rule: 'that is everything', path: [], want: '2:1' },
    { rule: 'of the second document', path: ['kind'], document: 1, want: '11:1' },
    { rule: 'missing in the second document', path: ['metadata', 'name'], document: 1, want: '11:1' },
  ])('$rule is found', ({ path, document, want }) => {
    expect(at(TWO, path, document)).toBe(want);
  });

  test('behind a byte order mark is found where editors show it', () => {
    expect(at(`\ufeff${TWO}`, ['kind'])).toBe('2:1');
    expect(at('\ufeffkind: A\n', ['kind'])).toBe('1:1');
    expect(parseText('\ufeff{"kind": "A"}').documents.map(({ value }) => value)).toEqual([{ kind: 'A' }]);
  });

  test('of JSON is found, too', () => {
    expect(at('{"kind": "A",\n  "spec": {"a": [1, 2]}}', ['spec', 'a', 1])).toBe('2:21');
  });
});

describe('a text', () => {
  test.for([
    { rule: 'with an open bracket', text: 'a: 1\nb: [1,\nc: 2\n', want: '3:1' },
    { rule: 'of JSON without its end', text: '{\n  "a": 1,\n  "b": [1, 2\n}\n', want: '4:1' },
    { rule: 'of JSON without a comma', text: '{\n  "a": 1\n  "b": 2\n}\n', want: '2:8' },
    { rule: 'of JSON with an open text', text: '{"a": "b}\n', want: '2:1' },
    { rule: 'with a key twice', text: 'a: 1\na: 2\n', want: '2:1' },
    { rule: 'indented with tabs', text: 'a:\n\tb: 1\n', want: '2:1' },
    { rule: 'with a problem in its second document', text: 'a: 1\n---\nb: "x\n', want: '4:1' },
    { rule: 'with an unknown alias in its second document', text: 'a: 1\n---\nb: *nothing\n', want: '3:1' },
    { rule: 'that is an alias bomb', text: bomb(), want: '1:1' },
  ])('$rule has a problem at $want and no documents', ({ text, want }) => {
    const { documents, problems } = parseText(text);
    expect(documents).toEqual([]);
    expect(problems.map(({ line, column }) => `${line}:${column}`)).toEqual([want]);
  });

  test('that is nested without end is refused', () => {
    expect(parseText('['.repeat(20_000))).toMatchObject({ documents: [], problems: [{ line: 1 }] });
  });

  test.for([
    { rule: 'that is empty', text: '', want: [] },
    { rule: 'that is a comment', text: '# nothing\n', want: [] },
    { rule: 'with an empty document', text: 'a: 1\n---\n---\nb: 1\n', want: [{ a: 1 }, null, { b: 1 }] },
    { rule: 'with version 1.2 scalars', text: 'a: yes\nb: 010\nc: 1_000\n', want: [{ a: 'yes', b: 10, c: '1_000' }] },
  ])('$rule is read', ({ text, want }) => {
    expect(parseText(text).documents.map(({ value }) => value)).toEqual(want);
  });
});

function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
  return ['l0: &l0 x', ...levels].join('\n');
}
