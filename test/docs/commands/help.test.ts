/** The examples of `--help`, each run as a reader would, in a checkout. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Checkout, openCheckout, type Running } from './shell.ts';

const COMMANDS = [
  'standalone',
  'validate',
  'render',
  'guardrail',
  'doctor',
  'usage',
  'logs',
  're-rate',
  'replay',
  'get',
  'apply',
  'diff',
  'delete',
  'export',
  'import',
  'mock-provider',
  'version',
  'completion',
];
/** They run until they are stopped; the text says that they serve. */
const SERVERS: ReadonlyMap<string, RegExp> = new Map([
  ['standalone', /Gatehouse serves/],
  ['mock-provider', /answers on http:\/\//],
]);

/** They ask a process that serves. */
const ASKING: ReadonlySet<string> = new Set(['usage', 'logs', 'get', 'apply', 'diff', 'delete', 'export']);

/** They work on the data folder of a process that has served. */
const AFTERWARDS: ReadonlySet<string> = new Set(['re-rate', 'replay']);

/** With differences, which is no failure. */
const DIFFERENT: ReadonlySet<string> = new Set(['diff']);

const LOGGED_REQUEST = `curl http://127.0.0.1:8787/v1/chat/completions -H 'x-gw-api-key: gwk_example_key_for_trying_only' \\
      -H 'x-gw-trace-id: trace-1' -H 'content-type: application/json' \\
      -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Say hello"}]}'
    until gatehouse logs show trace-1 -w team-a; do sleep 0.2; done`;

/** What the examples of a command find: the process then keeps a request log. */
const PREPARED: ReadonlyMap<string, string> = new Map([
  ['logs', LOGGED_REQUEST],
  ['re-rate', LOGGED_REQUEST],
  ['replay', LOGGED_REQUEST],
]);

const KEY = 'gwk_given_0123456789abcdef0123456789';

let checkout: Checkout;
let mock: Running;

beforeAll(async () => {
  checkout = await openCheckout({ GATEHOUSE_ADMIN_KEY: KEY, GATEHOUSE_API_KEY: KEY });
  mock = checkout.start('gatehouse mock-provider --port 8790');
  await mock.shows('http://');
});

afterAll(async () => {
  await mock[Symbol.asyncDispose]();
  checkout[Symbol.dispose]();
});

/** The process that the examples of a command ask, with what they find there. */
async function startAsked(command: string): Promise<Running | undefined> {
  if (!ASKING.has(command) && !AFTERWARDS.has(command)) return undefined;
  const prepare = PREPARED.get(command);
  const logs = prepare === undefined ? '' : ' --logs --example-key gwk_example_key_for_trying_only';
  const asked = checkout.start(`gatehouse standalone --resources examples${logs}`);
  await asked.shows('Gatehouse serves');
  if (prepare !== undefined) expect(await checkout.run(prepare)).toMatchObject({ status: 0 });
  if (!AFTERWARDS.has(command)) return asked;
  await asked[Symbol.asyncDispose]();
  return undefined;
}

async function examplesOf(command: string): Promise<readonly string[]> {
  const { status, out } = await checkout.run(`gatehouse ${command} --help`);
  expect(status, out).toBe(0);
  const [, examples = ''] = out.split('\nExamples:\n');
  return examples.split('\n').flatMap((line) => /^ {2}(?!#)(\S.*)$/.exec(line)?.[1] ?? []);
}

test('the help names every command', async () => {
  const { out } = await checkout.run('gatehouse --help');
  const named = [...(out.split('\nExamples:')[0] ?? '').matchAll(/^ {2}([a-z][a-z-]*) {2,}/gm)].map(([, name]) => name);
  expect(named).toEqual(expect.arrayContaining(COMMANDS));
  expect(named.filter((name) => !COMMANDS.includes(name ?? ''))).toEqual([]);
});

describe.for(COMMANDS)('gatehouse %s', (command) => {
  test('has examples, and each of them works', async () => {
    const examples = await examplesOf(command);
    expect(examples.length).toBeGreaterThan(0);
    await using _asked = await startAsked(command);
    for (const example of examples) {
      expect(example).toContain('gatehouse ');
      const serves = SERVERS.get(command);
      if (serves === undefined) {
        const { status, out } = await checkout.run(example);
        expect(DIFFERENT.has(command) ? [0, 1] : [0], `${example}\n${out}`).toContain(status);
        continue;
      }
      using other = await openCheckout();
      await using running = other.start(example);
      await running.shows(serves);
    }
  });
});
