/** Every check that runs here, on a MiB of what is worst for it: it ends, and the event loop goes on meanwhile. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { CheckSubject } from './contract.ts';
import { CHECKS } from './register.ts';
import { runCheck, subjectOf, toolsOf } from './testing.ts';

const MIB = 1_048_576;
/** No check may stall the event loop for more than 20 ms: ten times that, for slow machines and code that is not warm. */
const MAX_WORK_MS = 200;

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
    ].map(repeated),
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

function repeated(unit: string): string {
  return unit.repeat(Math.ceil(MIB / unit.length)).slice(0, MIB);
}

/** CPU time of this thread, in ms: other processes on the machine do not count. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Resolves to what the check answers and to the most work between two turns of the event loop, in ms. */
async function watch(id: string, parameters: object, subject: CheckSubject) {
  let most = 0;
  let last = cpuMs();
  const look = () => {
    const now = cpuMs();
    most = Math.max(most, now - last);
    last = now;
  };
  let done = false;
  const watching = (async () => {
    for (; !done; look()) await nextTurn();
  })();
  try {
    const answer = await runCheck(id, parameters, subject, { tools: toolsOf() });
    look();
    return { answer, most };
  } finally {
    done = true;
    await watching;
  }
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
      const { answer, most } = await watch(id, parameters, subjectOf([text]));
      expect(answer.verdict).toBeTypeOf('boolean');
      expect(most).toBeLessThan(MAX_WORK_MS);
    },
  );
});
