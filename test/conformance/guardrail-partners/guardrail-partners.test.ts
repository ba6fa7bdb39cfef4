/** Every check of a partner against its service on a socket. */
import { inspect } from 'node:util';
import { CHECK_ENTRIES } from '@gatehouse/crds/guardrails';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, openBench, type PartnerBench, type World } from './bench.ts';
import { CANARY, INPUT, type Side, type Target } from './row.ts';
import { ROWS } from './rows/index.ts';

let bench: PartnerBench;

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const PLUGINS = [
  ...['acuvity', 'akto', 'aporia', 'azure', 'bedrock', 'cato', 'crowdstrike-aidr', 'exa', 'f5-guardrails', 'javelin'],
  ...['lakera', 'lasso', 'mistral', 'pangea', 'panw-prisma-airs', 'patronus', 'pillar', 'promptfoo', 'promptsecurity'],
  ...['qualifire', 'sydelabs', 'tavily', 'walledai', 'zscaler'],
];

/** Runs one check; nothing of what comes out may hold the credential. */
async function run(target: Target, side: Side, world: World) {
  const result = await bench.run(target, side, world);
  expect(inspect([result.results, result.body, result.headers, result.denied?.message], { depth: 99 })).not.toContain(
    CANARY,
  );
  expect(inspect(result, { depth: 99, showHidden: false })).not.toContain(CANARY);
  const check = result.results[0]?.checks[0];
  if (check === undefined) throw new Error('the check did not run');
  return { check, denied: result.denied !== undefined, body: result.body, result };
}

const replies = (bodies: readonly unknown[]): readonly Answer[] => bodies.map((body) => ({ body }));

/** The same target with a parameter more. */
const having = (row: Target, parameters: object): Target => ({
  ...row,
  parameters: { ...row.parameters, ...parameters },
});

const emptied = ({ phase, requestType }: Side): Side => ({
  phase,
  ...(requestType !== undefined && { requestType }),
  request: { model: 'm1', messages: [{ role: 'user', content: '' }] },
  ...(phase === 'output' && { response: { choices: [{ message: { role: 'assistant', content: '' } }] } }),
});

test('every check of the partners has a row', () => {
  const ids = CHECK_ENTRIES.map(({ id }) => id).filter((id) => PLUGINS.includes(id.slice(0, id.indexOf('.'))));
  expect(new Set(ROWS.map(({ id }) => id))).toEqual(new Set(ids));
  expect(ids).toHaveLength(48);
});

describe.for(ROWS)('$id', (row) => {
  const { side, sends } = row;

  test('sends exactly this, and passes', async () => {
    const { check, denied } = await run(row, side, { answers: replies(row.pass) });
    expect(bench.got).toEqual(sends.map((call) => ({ method: 'POST', ...call })));
    expect(check).toMatchObject({ id: row.id, verdict: true });
    expect(check.error).toBeUndefined();
    expect(denied).toBe(false);
  });

  test.runIf(row.fail !== undefined)('fails, and denies', async () => {
    const { check, denied } = await run(row, side, { answers: replies(row.fail ?? []) });
    expect(check.verdict).toBe(false);
    expect(check.error).toBeUndefined();
    expect(check.data === null).toBe(side.phase === 'output'); // of a withheld answer nothing is quoted
    expect(denied).toBe(true);
  });

  test.for(row.redacts ?? [])(
    'redacts: $rule',
    async ({ parameters = {}, side: own = side, replies: given, verdict, body }) => {
      const { check, body: changed } = await run(having(row, parameters), own, { answers: replies(given) });
      expect(check).toMatchObject({ verdict, transformed: true });
      // A check that fails denies, and what is denied is not changed.
      if (verdict) expect(changed).toEqual(body);
    },
  );

  test.for(row.also ?? [])('$rule', async ({ parameters = {}, side: own = side, ...want }) => {
    const { check } = await run(having(row, parameters), own, { answers: replies(want.replies ?? row.pass) });
    expect(check.verdict).toBe(want.verdict);
    expect(check.error !== undefined).toBe(want.hasError === true);
    if (want.bodies !== undefined) expect(bench.got.map(({ body }) => body)).toEqual(want.bodies);
    const isWithheld = own.phase === 'output' && !want.verdict;
    if (want.data !== undefined && !isWithheld) expect(check.data).toMatchObject(want.data as object);
  });

  describe('whose service cannot decide', () => {
    const faults: readonly (readonly [rule: string, answers: readonly Answer[], name: string, parameters?: object])[] =
      [
        ['answers 500', [{ status: 500, body: { message: 'broken' } }], 'HttpError'],
        ['refuses the credential', [{ status: 401, body: { message: `bad key ${CANARY}` } }], 'HttpError'],
        ['answers a redirect', [{ status: 302, body: {} }], 'HttpError'],
        ['is late', ['hang'], 'TimeoutError', { timeout: 40 }],
        ['stops in the middle of its answer', ['stall'], 'TimeoutError', { timeout: 40 }],
        ['answers no JSON', [{ text: `<p>${CANARY}</p>` }], 'ParseError'],
        ['answers nothing', [{ text: '' }], 'ParseError'],
        ...[null, [], ...(row.malformed ?? [])].map(
          (body) => [`answers ${JSON.stringify(body)}`, [{ body }], 'any'] as const,
        ),
      ];
    const cases = faults.flatMap((fault) =>
      [false, true].map((failOnError) => ({ rule: fault[0], fault, failOnError })),
    );

    test.for(cases)('because it $rule, failOnError $failOnError', async ({ fault, failOnError }) => {
      const [, answers, name, parameters = {}] = fault;
      const { check, denied } = await run(having(row, parameters), side, { answers, failOnError });
      const verdict = row.onError !== false;
      const error = row.onError === 'data' ? (check.data as { error?: unknown }).error : check.error;
      expect(check.verdict).toBe(verdict);
      expect(error).toMatchObject({ name: name === 'any' ? expect.any(String) : name, message: expect.any(String) });
      if (row.onError === 'data') expect(check.error).toBeUndefined();
      expect(denied).toBe(!verdict && failOnError);
    });
  });

  test('without text', async () => {
    const own = emptied(side);
    const { check } = await run(row, own, { answers: replies(row.pass) });
    expect(bench.got.length > 0).toBe(row.empty === 'asked');
    if (row.empty === 'asked') return;
    expect(check.verdict).toBe(row.empty !== false);
    expect(check.error?.name).toBe(row.empty === 'passes' ? undefined : 'InvalidInput');
  });

  const { needs } = row;
  test.runIf(needs !== undefined).for([false, true])('without its credential, failOnError %s', async (failOnError) => {
    const credential = Object.fromEntries(Object.entries(row.credential).filter(([name]) => name !== needs?.field));
    const { check, denied } = await run({ ...row, credential }, side, { answers: replies(row.pass), failOnError });
    expect(bench.got).toEqual([]);
    expect(check).toMatchObject({ verdict: needs?.verdict, error: { name: 'CredentialError' } });
    const isWithheld = needs?.verdict === false && failOnError;
    expect(denied).toBe(isWithheld);
    const named = needs?.field.replace(/^.*\./, '') ?? '';
    expect(check.error?.message).toContain(isWithheld && side.phase === 'output' ? 'may quote' : named);
  });

  test.runIf(row.otherPhase !== undefined)('in the other phase', async () => {
    const { check } = await run(row, otherSide(side), { answers: replies(row.pass) });
    expect(bench.got).toEqual([]);
    expect(check).toMatchObject({ verdict: row.otherPhase, error: { name: 'InvalidInput' } });
  });

  test('sends headers of the client that it names, and its own ones win', async () => {
    const target = having(row, { forwardHeaders: ['x-request-id', 'traceparent', 'user-agent'] });
    await run(target, side, { answers: replies(row.pass) });
    const { authorization: _, ...sent } = bench.got[0]?.headers ?? {};
    const { authorization: __, ...own } = sends[0]?.headers ?? {};
    expect(sent).toEqual({
      ...own,
      'x-request-id': 'request-1',
      traceparent: expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/),
    });
  });
});

const otherSide = ({ request, phase }: Side): Side =>
  phase === 'input'
    ? { phase: 'output', request, response: { choices: [{ message: { role: 'assistant', content: 'text' } }] } }
    : { phase: 'input', request };

describe('whatever the partner', () => {
  const target: Target = { id: 'promptfoo.harm', credential: { baseUrl: 'STUB' } };

  test('an answer that is too large is not read', async () => {
    const answers = [{ text: 'x'.repeat(4 * 1024 * 1024 + 1) }];
    const { check } = await run(target, INPUT, { answers });
    expect(check).toMatchObject({ verdict: true, error: { name: 'ResponseTooLarge' } });
  });

  test('an address that is private is not called unless it is trusted', async () => {
    await using guarded = await openBench('');
    const result = await guarded.run(target, INPUT, { answers: [{ body: { results: [{ flagged: true }] } }] });
    expect(guarded.got).toEqual([]);
    expect(result.results[0]?.checks[0]).toMatchObject({
      verdict: true,
      error: { name: 'ConnectionError', message: expect.stringContaining('TRUSTED_CUSTOM_HOSTS') },
    });
  });
});
