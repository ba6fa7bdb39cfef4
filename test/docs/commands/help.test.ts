/** The examples of `--help`, each run as a reader would, in a checkout. */
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Checkout, openCheckout, type Running } from './shell.ts';

const COMMANDS = [
  'standalone',
  'validate',
  'render',
  'guardrail',
  'doctor',
  'usage',
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
const ASKING: ReadonlySet<string> = new Set(['usage', 'get', 'apply', 'diff', 'delete', 'export']);

/** With differences, which is no failure. */
const DIFFERENT: ReadonlySet<string> = new Set(['diff']);

const KEY = 'gwk_given_0123456789abcdef0123456789';

let checkout: Checkout;
let mock: Running;

beforeAll(async () => {
  checkout = await openCheckout({ GATEHOUSE_ADMIN_KEY: KEY, GATEHOUSE_API_KEY: KEY });
  mock = checkout.start('gatehouse mock-provider --port 8790');
  await waitFor(() => mock.out.includes('http://'), { what: 'the mock provider' });
});

afterAll(async () => {
  await mock[Symbol.asyncDispose]();
  checkout[Symbol.dispose]();
});

async function examplesOf(command: string): Promise<readonly string[]> {
  const { status, out } = await checkout.run(`gatehouse ${command} --help`);
  expect(status, out).toBe(0);
  const [, examples = ''] = out.split('\nExamples:\n');
  return examples.split('\n').flatMap((line) => /^ {2}(?!#)(\S.*)$/.exec(line)?.[1] ?? []);
}

test('the help names every command', async () => {
  const { out } = await checkout.run('gatehouse --help');
  const named = [...(out.split('\nExamples:')[0] ?? '').matchAll(/^ {2}([a-z][a-z-]*) {2,}/gm)].map(([, name]) => name);
  const known = [...COMMANDS, 'logs']; // its examples need rows: standalone/src/cli/logs runs them
  expect(named).toEqual(expect.arrayContaining(known));
  expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

describe.for(COMMANDS)('gatehouse %s', (command) => {
  test('has examples, and each of them works', async () => {
    const examples = await examplesOf(command);
    expect(examples.length).toBeGreaterThan(0);
    await using asked = ASKING.has(command) ? checkout.start('gatehouse standalone --resources examples') : undefined;
    if (asked !== undefined) await waitFor(() => asked.out.includes('Gatehouse serves'), { what: 'the process' });
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
      await waitFor(() => serves.test(running.out), { what: example });
    }
  });
});
