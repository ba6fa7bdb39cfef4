/** Every check that runs here, on a MiB of what is worst for it: it ends, and the event loop goes on meanwhile. */
import { describe, expect, test } from 'vitest';
import { CHECKS } from './register.ts';
import { MAX_WORK_MS, subjectOf, watchCheck } from './testing.ts';

const MIB = 1_048_576;
/** Parameters with which each check works most, and texts that are hard for it beside those for all. */
const CASES: Readonly<Record<string, { readonly parameters: object; readonly texts?: readonly string[] }>> = {
  'gw.dataservice': { parameters: {} },
  'default.regexMatch': {
    parameters: { rule: '([a-z ]*)*(a|aa)+([^b]*)(\\s|\\w)+$' },
    texts: [randomText('ab'), `${repeated('ab').slice(1)}!`],
  },
  'default.sentenceCount': { parameters: {} },
  'default.wordCount': { parameters: {}, texts: ['a '.repeat(MIB / 2)] },
  'default.characterCount': { parameters: {} },
  'default.contains': {
    parameters: {
      words: Array.from({ length: 1_024 }, (_, i) => `${i % 2 ? 'b' : ''}${'a'.repeat(200 + (i % 40))}${i}`),
      operator: 'any',
    },
  },
  'default.alluppercase': { parameters: {} },
  'default.alllowercase': { parameters: {} },
  'default.endsWith': { parameters: { suffix: 'a'.repeat(1_000) } },
  'default.notNull': { parameters: {} },
  'default.containsCode': {
    parameters: { format: 'Go' },
    texts: [repeated('```go\n'), repeated('```a\n\n```\n'), repeated('`')],
  },
  'default.modelWhitelist': { parameters: { models: Array.from({ length: 1_024 }, (_, i) => `m${i + 2}`) } },
  'default.modelRules': { parameters: { rules: { defaults: ['m1'] } } },
  'default.allowedRequestTypes': { parameters: { allowedTypes: 'embed' } },
  'default.requiredMetadataKeys': { parameters: { metadataKeys: ['text'] } },
  'default.requiredMetadataKeyPairs': {
    parameters: { metadataPairs: { text: '([a-z ]*)*(a|aa)+([^b]*)$' }, matchType: 'regex' },
  },
  'default.requestParametersCheck': { parameters: { params: { values: { model: { allowedValues: ['a'] } } } } },
  'default.regexReplace': {
    parameters: { rule: '/a|\\.|([ ]*)*x|()/g', redactText: "$'$1" },
    texts: [randomText('ab')],
  },
  'default.addPrefix': { parameters: { prefix: 'a'.repeat(65_536) } },
  'default.jsonKeys': {
    parameters: { keys: ['a', 'b'], operator: 'all' },
    texts: [
      ...['{}', '{"a":1}', '{"a', '{"', '[1,', '```1```', '```json\n{]', '"', '[\\"{'].map(repeated),
      manyMembers(),
    ],
  },
  'default.jsonSchema': {
    parameters: {
      schema: {
        $defs: {
          tree: {
            anyOf: [
              {
                type: 'object',
                patternProperties: { '(a|b)+$': { $ref: '#/$defs/tree' } },
                unevaluatedProperties: false,
              },
              { type: 'array', items: { $ref: '#/$defs/tree' }, uniqueItems: true },
              { maxLength: 100, pattern: '^([a-z ]*)*$' },
            ],
          },
        },
        $ref: '#/$defs/tree',
      },
    },
    texts: [
      ...['{}', '[[1],', '{"a', '[1,', '```1```'].map(repeated),
      manyMembers(),
      `[${'{"a":[1,2]},'.repeat(80_000)}1]`,
      `${'['.repeat(99)}${'1,'.repeat(500_000)}1${']'.repeat(99)}`,
      `["${'a'.repeat(MIB - 4)}"]`,
    ],
  },
  'default.promptInjection': {
    parameters: { threshold: 100 },
    texts: [
      ...[
        'i ',
        'ignore ',
        '<|',
        '[INST',
        'aGVsbG8gd29ybGQg',
        '无视',
        '\u{e0041}',
        'a\u200b',
        'é',
        '\ufdfa',
        '# ',
        'no ',
        'a1',
      ],
    ].map(repeated),
  },
  'default.pii': {
    parameters: { redact: true, restore: true },
    texts: [
      ...['1', '@', '[', '+', '(', ':', '1 ', 'a@', 'a@b.', '1.1.1.1.', '::', 'a:', 'eyJ-', 'eyJa-', '-----BEGIN '],
      ...['-----BEGIN PRIVATE KEY-----', '://a:', 'DE89 ', 'sk-ant-', '+1 ', 'tel 0', '\u200b', '４', 'BSN 111222333 '],
      ...['jane@example.com ', '+49 30 901820 ', '[EMAIL_ADDRESS_1]', 'ABCDEF80A01', '12-', '(0', 'x'.repeat(65), '٤'],
    ]
      .map(repeated)
      .concat(manyAddresses()),
  },
};

const TEXTS: readonly string[] = [
  repeated('a'),
  repeated(' '),
  repeated('aé😀 '),
  repeated('.!?'),
  repeated('\u2003\n'),
  `${repeated('{"a":').slice(0, MIB - 1)}}`,
];

/** The same at each run. */
function randomText(letters: string): string {
  let bits = 1;
  return Array.from({ length: MIB }, () => {
    bits = (bits * 1_103_515_245 + 12_345) % 2_147_483_648;
    return letters[(bits % 7) % letters.length];
  }).join('');
}

/** No two of them the same. */
function manyAddresses(): string {
  return Array.from({ length: 84_000 }, (_, i) => `a${i}@b.co`).join(' ');
}

function manyMembers(): string {
  return `{${Array.from({ length: 90_000 }, (_, i) => `"${i}":1`).join(',')}}`;
}

function repeated(unit: string): string {
  return unit.repeat(Math.ceil(MIB / unit.length)).slice(0, MIB);
}

test('every check that works here has its worst case', () => {
  const local = [...CHECKS.values()].filter(({ entry }) => !entry.callsOut).map(({ entry }) => entry.id);
  expect(local.filter((id) => CASES[id] === undefined)).toEqual([]);
});

describe.for(Object.entries(CASES))('%s on a MiB', ([id, { parameters, texts = [] }]) => {
  test.for([...TEXTS, ...texts].map((text) => ({ text, begin: text.slice(0, 20) })))(
    'of $begin',
    { timeout: 60_000 },
    async ({ text }) => {
      const { answer, most } = await watchCheck(id, parameters, subjectOf([text], { metadata: { text } }));
      expect(answer.verdict).toBeTypeOf('boolean');
      expect(most).toBeLessThan(MAX_WORK_MS);
    },
  );
});
