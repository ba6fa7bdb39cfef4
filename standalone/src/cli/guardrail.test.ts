import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { runCommandLine } from './index.ts';

const GUARDRAIL = `apiVersion: gatehouse.dev/v1alpha1
kind: Guardrail
metadata: { name: no-secrets, namespace: team-a }
spec:
  checks:
    - id: default.contains
      parameters: { words: [secret], operator: none }
  actions: { deny: true }
`;
const OTHER = GUARDRAIL.replace('no-secrets', 'no-x').replace('[secret]', '[x]');
const CALLING = GUARDRAIL.replace(
  '    - id: default.contains',
  '    - id: default.webhook\n      parameters: { webhookURL: "https://checks.example/" }\n    - id: default.contains',
);

interface Ran {
  readonly status: number;
  readonly out: readonly string[];
  readonly err: string;
}

/** Runs the command in a folder with these files; names of files in `args` are of the folder. */
async function run(files: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> {
  using folder = tempFolder(files);
  const out: string[] = [];
  const err: string[] = [];
  const status = await runCommandLine(
    ['guardrail', 'test', ...args.map((arg) => (Object.hasOwn(files, arg) ? join(folder.path, arg) : arg))],
    {
      variables: {},
      interactive: false,
      out: (line) => out.push(...line.split('\n')),
      err: (line) => err.push(line),
      onStop: () => () => {},
      onFault: () => {},
      exit: () => {
        throw new Error('the process would have ended');
      },
    },
  );
  return { status, out, err: err.join('\n').replaceAll(`${folder.path}/`, '') };
}

const withGuardrail = (cases: string) => ({ 'g.yaml': GUARDRAIL, 'cases.yaml': cases });
const testWith = (cases: string) => run(withGuardrail(cases), 'cases.yaml', '--guardrail', 'g.yaml');

describe('a test of a guardrail', () => {
  test('ends with 0 when all is as expected', async () => {
    const { status, out } = await testWith('- { text: hello, expected: pass }\n- { text: a secret, expected: fail }');
    expect(status).toBe(0);
    expect(out).toEqual([
      '  CASE  PHASE  EXPECTED  VERDICT       CHECKS            TEXT',
      '  1     input  pass      pass          -                 hello',
      '  2     input  fail      fail, denied  default.contains  a secret',
      '2 cases, all as expected',
    ]);
  });

  test('ends with 1 when a verdict differs, and marks it', async () => {
    const { status, out } = await testWith('- { text: a secret, expected: true, name: first }\n- { text: b }');
    expect(status).toBe(1);
    expect(out.slice(1)).toEqual([
      '!  1     input  pass      fail, denied  default.contains  first',
      '   2     input  -         pass          -                 b',
      '2 cases, 1 differs from what is expected',
    ]);
  });

  test('compares the text that is left', async () => {
    const file = `guardrail: [{ regexReplace: { rule: "/[0-9]+/g", redactText: "#" } }]
cases:
  - { text: "a 1", expectedText: "a #" }
  - { text: "b 2", expectedText: "b 2", phase: output }
`;
    const { status, out } = await run({ 'cases.yaml': file }, 'cases.yaml');
    expect(status).toBe(1);
    expect(out.slice(2)).toEqual([
      '!  2     output  -         pass     -       b 2',
      '     expected text "b 2"',
      '     but it is     "b #"',
      '2 cases, 1 differs from what is expected',
    ]);
  });

  test('shows errors of checks, which pass by default', async () => {
    const file = 'guardrail: [{ wordCount: {} }]\ncases: [{ text: "", expected: pass }]';
    const { status, out } = await run({ 'cases.yaml': file }, 'cases.yaml');
    expect([status, out[1]]).toEqual([0, '  1     input  pass      pass     default.wordCount: EmptyText']);
  });

  test('takes hooks of a config by their direction', async () => {
    const hooks = `input_guardrails: [{ contains: { words: [in], operator: none } }]
outputGuardrails: [{ contains: { words: [out], operator: none } }]`;
    const cases = ['in', 'out'].flatMap((text) =>
      ['input', 'output'].map((phase) =>
        JSON.stringify({ text, phase, expected: phase.startsWith(text) ? 'fail' : 'pass' }),
      ),
    );
    const { status, out } = await run(
      { 'g.yaml': hooks, 'c.jsonl': cases.join('\n') },
      'c.jsonl',
      '--guardrail',
      'g.yaml',
    );
    expect([status, out.at(-1)]).toEqual([0, '4 cases, all as expected']);
  });

  test('takes model, metadata and parameters of a case', async () => {
    const file = `guardrail:
  - { modelWhitelist: { models: [m1] } }
  - { requiredMetadataKeys: { metadataKeys: [team] } }
  - { requestParametersCheck: { tools: { allowedTypes: [function] } } }
cases:
  - { text: a, model: m1, metadata: { team: x }, expected: pass }
  - { text: a, model: m2, metadata: { team: x }, expected: fail }
  - { text: a, model: m1, expected: fail }
  - { text: a, model: m1, metadata: { team: x }, request: { tools: [{ type: mcp }] }, expected: fail }
`;
    expect(await run({ 'cases.yaml': file }, 'cases.yaml')).toMatchObject({ status: 0, err: '' });
  });

  test('runs all Guardrails of a file, or the one that is named', async () => {
    const files = {
      'g.yaml': `${GUARDRAIL}---\n${OTHER}---\nkind: Secret\nmetadata: { name: a }\n`,
      'c.yaml': '[{ text: x, expected: fail }]',
    };
    expect((await run(files, 'c.yaml', '--guardrail', 'g.yaml')).status).toBe(0);
    expect((await run(files, 'c.yaml', '--guardrail', 'g.yaml', '--name', 'no-secrets')).status).toBe(1);
    const { status, err } = await run(files, 'c.yaml', '--guardrail', 'g.yaml', '--name', 'nobody');
    expect([status, err]).toEqual([1, 'g.yaml:1:1: the file has no Guardrail nobody']);
  });

  test('finds the guardrail beside the cases', async () => {
    const cases = 'guardrail: g.yaml\ncases: [{ text: secret, expected: fail }]';
    expect((await run(withGuardrail(cases), 'cases.yaml')).status).toBe(0);
  });

  test('prints JSON for programs, without the texts of the file', async () => {
    const files = withGuardrail('- { text: my secret, name: a }');
    const { out } = await run(files, 'cases.yaml', '--guardrail', 'g.yaml', '-o', 'json');
    const [report] = JSON.parse(out.join('\n')) as { cases: unknown[] }[];
    expect(report?.cases).toEqual([
      {
        number: 1,
        name: 'a',
        phase: 'input',
        verdict: 'fail',
        denied: true,
        differs: false,
        checks: [{ hook: 'no-secrets', id: 'default.contains', verdict: false }],
      },
    ]);
    expect(out.join()).not.toContain('my secret');
  });

  test('refuses checks that call a service, or leaves them out', async () => {
    const files = { 'g.yaml': CALLING, 'c.yaml': '[{ text: hello, expected: pass }]' };
    const refused = await run(files, 'c.yaml', '--guardrail', 'g.yaml');
    expect([refused.status, refused.out, refused.err]).toEqual([1, [], expect.stringContaining('default.webhook')]);
    const { status, out, err } = await run(files, 'c.yaml', '--guardrail', 'g.yaml', '--skip-calls');
    expect([status, out.at(-1)]).toEqual([0, '1 case, all as expected']);
    expect(err).toContain('default.webhook');
  });

  test('passes no control characters on', async () => {
    const { out } = await testWith('- { text: "\\e[2Jsecret", expectedText: "\\e[1m" }');
    expect(out.join()).not.toContain('\u001b');
  });
});

describe('a file of a test is refused with the place of its problem', () => {
  const none = { 'g.yaml': GUARDRAIL };
  test.for<[rule: string, files: Record<string, string>, cases: string, err: string]>([
    [
      'an unknown member',
      { ...none, 'c.yaml': '- text: a\n  expect: pass' },
      'c.yaml',
      'c.yaml:2:3: [0].expect: unknown field; did you mean expected?',
    ],
    [
      'an unknown verdict',
      { ...none, 'c.jsonl': '{"text": "a"}\n{"text": "b", "phase": "in"}' },
      'c.jsonl',
      'c.jsonl:2:1: phase: ',
    ],
    [
      'a line that is no JSON',
      { ...none, 'c.jsonl': '{"text": "a"}\n\nhello' },
      'c.jsonl',
      'c.jsonl:3:1: expected JSON',
    ],
    ['no case', { ...none, 'c.jsonl': '\n' }, 'c.jsonl', 'c.jsonl:1:1: expected a case on each line'],
    ['bad YAML', { ...none, 'c.yaml': '- text: [' }, 'c.yaml', 'c.yaml:1:'],
    ['no document', { ...none, 'c.yaml': '' }, 'c.yaml', 'c.yaml:1:1: expected one document'],
    [
      'an unknown check',
      { 'g.yaml': GUARDRAIL.replace('default.contains', 'default.contain'), 'c.yaml': '[{ text: a }]' },
      'c.yaml',
      'g.yaml:6:7: spec.checks[0].id: unknown check default.contain; did you mean default.contains?',
    ],
    [
      'a file without hooks',
      { 'g.yaml': 'retry: { attempts: 1 }', 'c.yaml': '[{ text: a }]' },
      'c.yaml',
      'expected a Guardrail',
    ],
    [
      'a stored guardrail',
      { 'g.yaml': 'input_guardrails: [no-secrets]', 'c.yaml': '[{ text: a }]' },
      'c.yaml',
      'no-secrets is a guardrail of its own',
    ],
  ])('%s', async ([, files, cases, err]) => {
    const ran = await run(files, cases, '--guardrail', 'g.yaml');
    expect([ran.status, ran.out]).toEqual([1, []]);
    expect(ran.err).toContain(err);
  });

  test('cases without a guardrail', async () => {
    expect((await run({ 'c.yaml': '[{ text: a }]' }, 'c.yaml')).err).toContain('--guardrail');
  });
});
