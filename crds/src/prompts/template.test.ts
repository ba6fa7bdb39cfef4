import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isLabelName,
  parsePartialReference,
  parsePromptReference,
  parseTemplate,
  readPartialText,
  readPromptText,
} from './index.ts';

describe('a template', () => {
  test('is read into parts of our own', () => {
    const parsed = parseTemplate(
      'Hi {{name}} {{{a.b}}}{{! no }}{{#list}}{{.}}{{/list}}{{^list}}none{{/list}}{{>p@2}}{{>>q}}',
    );
    expect(parsed).toEqual({
      ok: true,
      value: {
        nodes: [
          { kind: 'text', text: 'Hi ' },
          { kind: 'variable', path: ['name'] },
          { kind: 'text', text: ' ' },
          { kind: 'variable', path: ['a', 'b'] },
          { kind: 'section', path: ['list'], inverted: false, children: [{ kind: 'variable', path: [] }] },
          { kind: 'section', path: ['list'], inverted: true, children: [{ kind: 'text', text: 'none' }] },
          { kind: 'partial', reference: 'p@2' },
          { kind: 'variablePartial', name: 'q' },
        ],
        partials: ['p@2'],
        variablePartials: ['q'],
        variables: ['name', 'a', 'list'],
      },
    });
  });

  test.for([
    { what: 'an open section', text: '{{#a}}', want: /Unclosed section/ },
    { what: 'an open tag', text: 'a {{b', want: /Unclosed tag/ },
    { what: 'a label of a partial', text: '{{>p@beta}}', want: /partials have no labels/ },
    { what: 'a partial without a slug', text: '{{>A b}}', want: /not the slug/ },
    { what: 'a variable partial without a name', text: '{{>>}}', want: /needs the name/ },
    { what: 'a path with an empty step', text: '{{a..b}}', want: /not the name of a variable/ },
    { what: 'deep sections', text: '{{#a}}'.repeat(17) + '{{/a}}'.repeat(17), want: /deeper than 16/ },
    { what: 'many parts', text: '{{a}}'.repeat(4_097), want: /more than 4096 parts/ },
    { what: 'a long run of blanks', text: `{{a${' '.repeat(1_001)}`, want: /blanks in a row/ },
    { what: 'too much text', text: 'a'.repeat(65_537), want: /more than 65536 characters/ },
  ])('with $what is refused', ({ text, want }) => {
    const parsed = parseTemplate(text);
    expect(parsed.ok ? '' : parsed.error).toMatch(want);
  });

  test('never makes the parser throw, and knows no lambdas', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{{{',
      '#',
      '/',
      '^',
      '>',
      '>>',
      '&',
      '!',
      '=',
      ' ',
      'a',
      '.',
      '\n',
      '<%',
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => void parseTemplate(pieces.join(''))));
  });

  test('of a partial includes no others', () => {
    expect(readPartialText('a {{b}}').ok).toBe(true);
    expect([readPartialText('{{>b}}').ok, readPartialText('{{>>b}}').ok]).toEqual([false, false]);
  });
});

test.for([
  { what: 'messages', source: { messages: [{ role: 'user', content: '{{a}}' }] }, kind: 'messages' },
  { what: 'JSON of messages', source: { text: ' [{"role":"user","content":"{{a}}"}]' }, kind: 'json' },
  { what: 'a section of messages', source: { text: '[{{#all}}{"role":"user"}{{/all}}]' }, kind: 'json' },
  { what: 'raw JSON', source: { text: '{{{all}}}', raw: true }, kind: 'json' },
  { what: 'a text', source: { text: '[INST] {{a}} [/INST]' }, kind: 'text' },
])('$what is a prompt of its own kind', ({ source, kind }) => {
  const read = readPromptText(source);
  expect(read.ok && read.value.kind).toBe(kind);
});

describe('a reference', () => {
  test.for([
    { text: 'greeting', version: { kind: 'default' } },
    { text: 'greeting@default', version: { kind: 'default' } },
    { text: 'greeting@latest', version: { kind: 'latest' } },
    { text: 'greeting@12', version: { kind: 'number', number: 12 } },
    { text: 'greeting@production', version: { kind: 'label', label: 'production' } },
  ])('$text names a version', ({ text, version }) => {
    expect(parsePromptReference(text)).toEqual({ ok: true, value: { slug: 'greeting', version } });
  });

  test.for(['', '@1', 'Greeting', 'a/b', 'greeting@', 'greeting@0', 'greeting@a b', 'greeting@1@2', '../x'])(
    '%j is refused',
    (text) => {
      expect(parsePromptReference(text).ok).toBe(false);
    },
  );

  test('to a partial has no label', () => {
    expect([parsePartialReference('p@2').ok, parsePartialReference('p@beta').ok]).toEqual([true, false]);
  });

  test('leaves its words and numbers to no label', () => {
    expect(['beta', 'v1', 'latest', 'default', '12', 'a b', ''].filter(isLabelName)).toEqual(['beta', 'v1']);
  });
});
