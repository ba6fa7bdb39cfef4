import { describe, expect, test } from 'vitest';
import type { CheckAnswer } from '../contract.ts';
import { toolsOf } from '../testing.ts';
import { type CompiledHook, runHooks, watchHooks } from './index.ts';
import { chat, ERROR, FAIL, factsOf, hookOf, PASS, refuses, replaces, type TestCheck, THROWS } from './testing.ts';

const run = (hooks: readonly CompiledHook[], text = 'a') => runHooks(hooks, factsOf(text), () => toolsOf());

const STRICT_ERROR: TestCheck = { ...ERROR, failOnError: true };
const ERROR_BUT_TRUE: TestCheck = {
  run: () => ({ verdict: true, error: { name: 'E', message: 'm' } }),
  failOnError: true,
};

/** Notes when it begins and ends. */
function noting(name: string, notes: string[]): TestCheck {
  return {
    run: async ({ text }) => {
      notes.push(`${name} begins on ${text}`);
      await Promise.resolve();
      notes.push(`${name} ends`);
      return { verdict: true };
    },
  };
}

describe('the verdict of a hook', () => {
  test.for<[checks: string, hook: TestCheck[], verdict: boolean]>([
    ['none', [], true],
    ['one that passes', [PASS], true],
    ['one that fails beside one that passes', [PASS, FAIL], false],
    ['an error', [ERROR], true],
    ['an error that counts', [STRICT_ERROR], false],
    ['an error of one that passes', [ERROR_BUT_TRUE], true],
    ['one that breaks', [THROWS], true],
    ['one that breaks where errors count', [{ ...THROWS, failOnError: true }], false],
    ['one that fails later', [{ run: () => Promise.resolve({ verdict: false }) }], false],
    ['one that breaks later', [{ run: () => Promise.reject(new Error('x')), failOnError: true }], false],
  ])('with %s', async ([, checks, verdict]) => {
    const phase = await run([hookOf(checks)]);
    expect([phase.results[0]?.verdict, phase.failed, phase.denied]).toEqual([verdict, !verdict, undefined]);
  });

  test('denies where the hook is to', async () => {
    const hook = hookOf([FAIL], { deny: true, message: 'Not here.' });
    const { denied, results } = await run([hookOf([FAIL]), hook]);
    expect(denied).toEqual({ hook, message: 'Not here.', isSoft: false });
    expect(results.map(({ deny, verdict }) => ({ deny, verdict }))).toEqual([
      { deny: false, verdict: false },
      { deny: true, verdict: false },
    ]);
  });

  test('of one that passes denies nothing', async () => {
    const { denied, results } = await run([hookOf([PASS, ERROR], { deny: true })]);
    expect([denied, results[0]?.deny]).toEqual([undefined, false]);
  });
});

describe('a denial', () => {
  test.for<[what: string, hooks: CompiledHook[], isSoft: boolean]>([
    ['is soft by its hook', [hookOf([FAIL], { deny: true, softDeny200: true })], true],
    ['is soft by all checks that failed', [hookOf([PASS, { ...FAIL, softDeny200: true }], { deny: true })], true],
    ['is not soft by one of two', [hookOf([FAIL, { ...FAIL, softDeny200: true }], { deny: true })], false],
    ['is not soft by a check that passed', [hookOf([FAIL, { ...PASS, softDeny200: true }], { deny: true })], false],
    [
      'is not soft when another one is not',
      [hookOf([FAIL], { deny: true, softDeny200: true }), hookOf([FAIL], { deny: true })],
      false,
    ],
  ])('%s', async ([, hooks, isSoft]) => {
    expect((await run(hooks)).denied?.isSoft).toBe(isSoft);
  });

  test('leaves the body alone', async () => {
    const { body, denied } = await run([hookOf([replaces('a', 'b')]), hookOf([FAIL], { deny: true })]);
    expect([body, denied?.message]).toEqual([undefined, undefined]);
  });
});

describe('what breaks', () => {
  test('says nothing of what was thrown', async () => {
    const { results } = await run([hookOf([THROWS])]);
    expect(results[0]?.checks[0]).toMatchObject({
      verdict: false,
      data: null,
      error: { name: 'Check error', message: 'The check could not be run' },
    });
    expect(JSON.stringify(results)).not.toContain('sk-secret');
  });

  test('in a hook is no failure of others', async () => {
    const broken: TestCheck = {
      // A place that no part has: writing it back breaks the hook, not the check.
      run: () => ({
        verdict: true,
        transformed: {
          kind: 'parts',
          get parts(): never {
            throw new Error('broken');
          },
        },
      }),
    };
    const { results, failed, body } = await run([hookOf([broken], { id: 'broken' }), hookOf([replaces('a', 'b')])]);
    expect(results.map(({ id, verdict, checks }) => [id, verdict, checks.length])).toEqual([
      ['broken', true, 0],
      ['unnamed', true, 1],
    ]);
    expect([failed, body]).toEqual([false, chat('b')]);
  });

  test('in a hook fails it where an error of a check would', async () => {
    const broken: TestCheck = {
      run: () => ({
        verdict: true,
        transformed: {
          kind: 'parts',
          get parts(): never {
            throw new Error('broken');
          },
        },
      }),
      failOnError: true,
    };
    const hook = hookOf([broken], { deny: true });
    expect((await run([hook])).denied?.hook).toBe(hook);
  });
});

describe('checks of a hook', () => {
  test('run beside each other on the same text', async () => {
    const begun: string[] = [];
    const both = Promise.withResolvers<void>();
    const waits: TestCheck['run'] = ({ text }) => {
      if (begun.push(text) === 2) both.resolve();
      return both.promise.then(() => ({ verdict: true }));
    };
    await run([hookOf([{ run: waits }, { run: waits }])]);
    expect(begun).toEqual(['a', 'a']);
  });

  test('run one after another where the hook is sequential, each on what the last one made', async () => {
    const notes: string[] = [];
    const hook = hookOf([noting('x', notes), replaces('a', 'b'), noting('y', notes)], { sequential: true });
    await run([hook]);
    expect(notes).toEqual(['x begins on a', 'x ends', 'y begins on b', 'y ends']);
  });

  test.for<[sequential: boolean, verdict: boolean]>([
    [true, true],
    [false, false],
  ])('see a replacement when sequential is %s: %s', async ([sequential, verdict]) => {
    const wants: TestCheck = { run: ({ text }) => ({ verdict: text === 'b' }) };
    const { results } = await run([hookOf([replaces('a', 'b'), wants], { sequential })]);
    expect(results[0]?.verdict).toBe(verdict);
  });

  test('that run beside each other: the last one to change the text wins, and headers of all count', async () => {
    const header = (name: string): TestCheck => ({
      run: () => ({ verdict: true, transformed: { kind: 'headers', headers: { [name]: '1' } } }),
    });
    const phase = await run([hookOf([header('x-1'), replaces('a', 'b'), replaces('a', 'c'), header('x-2')])]);
    expect([phase.body, phase.headers]).toEqual([chat('c'), { 'x-1': '1', 'x-2': '1' }]);
    expect(phase.restore).toEqual(new Map([['c', 'a']]));
  });

  test('of a mutator run one after another, those that are off too', async () => {
    const hook = hookOf([replaces('a', 'b'), { ...replaces('b', 'c'), enabled: false }], { type: 'mutator' });
    const phase = await run([hook]);
    expect([phase.body, phase.results[0]?.type, phase.results[0]?.transformed]).toEqual([chat('c'), 'mutator', true]);
    expect(phase.restore).toEqual(
      new Map([
        ['b', 'a'],
        ['c', 'b'],
      ]),
    );
  });

  test('that answer with an error may change the text', async () => {
    const error = { name: 'E', message: 'm' };
    const both: TestCheck = {
      run: (): CheckAnswer => ({ verdict: false, error, transformed: { kind: 'body', body: chat('z') } }),
    };
    expect(await run([hookOf([both])])).toMatchObject({ failed: false, body: chat('z') });
  });
});

describe('hooks of a phase', () => {
  test('run beside each other, and their results keep their order', async () => {
    const notes: string[] = [];
    const { results } = await run([
      hookOf([noting('x', notes)], { id: '1' }),
      hookOf([noting('y', notes)], { id: '2' }),
    ]);
    expect(notes).toEqual(['x begins on a', 'y begins on a', 'x ends', 'y ends']);
    expect(results.map(({ id }) => id)).toEqual(['1', '2']);
  });

  test('change the text one after another', async () => {
    const phase = await run([hookOf([replaces('a', 'b')]), hookOf([replaces('c', 'd')])], 'a c');
    expect(phase.body).toEqual(chat('b d'));
    expect(phase.restore).toEqual(
      new Map([
        ['b', 'a'],
        ['d', 'c'],
      ]),
    );
  });

  test('leave the body as it is when nothing changes', async () => {
    expect((await run([hookOf([replaces('x', 'y')]), hookOf([PASS])])).body).toBeUndefined();
  });

  test.for([{ first: true }, { first: false }])(
    'that apply by default see what others have made of the text, run first: $first',
    async ({ first }) => {
      const strict = hookOf([refuses('bad')], { deny: true, owner: 'organisation' });
      const changing = hookOf([replaces('a', 'bad')], { owner: 'workspace' });
      const { denied, body } = await run(first ? [strict, changing] : [changing, strict]);
      expect([denied?.hook, body]).toEqual([strict, undefined]);
    },
  );

  test('of a config see the text as it came, when they change nothing', async () => {
    const { denied } = await run([hookOf([replaces('a', 'bad')]), hookOf([refuses('bad')], { deny: true })]);
    expect(denied).toBeUndefined();
  });

  test('that fail on the text as it came stay failed, whatever becomes of it', async () => {
    const phase = await run(
      [hookOf([replaces('bad', 'good')]), hookOf([refuses('bad')], { owner: 'organisation' })],
      'bad',
    );
    expect([phase.failed, phase.results[1]?.verdict, phase.body]).toEqual([true, false, chat('good')]);
  });

  test('that change texts are asked again about what hooks before them changed', async () => {
    const hooks = [hookOf([replaces('a', 'x')]), hookOf([replaces('x', 'c')])];
    expect((await run(hooks, 'a x')).body).toEqual(chat('c c'));
  });

  test('that apply by default change what others have brought in, and all of it can be restored', async () => {
    const redacting = hookOf([replaces('a', '<1>'), replaces('b', '<2>')], { owner: 'organisation', sequential: true });
    const phase = await run([redacting, hookOf([replaces('c', 'b')], { owner: 'workspace' })], 'a c');
    expect(phase.body).toEqual(chat('<1> <2>'));
    expect(phase.restore).toEqual(
      new Map([
        ['<1>', 'a'],
        ['b', 'c'],
        ['<2>', 'b'],
      ]),
    );
    expect(phase.results.map(({ transformed, verdict }) => [transformed, verdict])).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  test('that apply by default and never agree on a text end all the same', async () => {
    const grows = (by: string): TestCheck => ({
      run: ({ parts: [part = ''] }) => ({ verdict: true, transformed: { kind: 'parts', parts: [part + by] } }),
    });
    const hooks = ['x', 'y'].map((by) => hookOf([grows(by)], { owner: 'workspace' }));
    const { body, denied } = await run(hooks);
    expect([body, denied]).toEqual([chat('axyxy'), undefined]);
    const late = hookOf([refuses('axyx')], { owner: 'organisation', deny: true });
    expect((await run([late, ...hooks])).denied?.hook).toBe(late);
  });

  test('add what they add once, whatever others change', async () => {
    const adds: TestCheck = {
      entry: { transforms: true, adds: true },
      run: ({ parts: [part = ''] }) => ({ verdict: true, transformed: { kind: 'parts', parts: [`+${part}`] } }),
    };
    const hooks = [[adds], [replaces('a', 'b')]].map((checks) => hookOf(checks, { owner: 'workspace' }));
    expect((await run(hooks)).body).toEqual(chat('+b'));
  });

  test('that failed before others changed the text stay failed', async () => {
    const hooks = [
      hookOf([refuses('a')], { owner: 'workspace' }),
      hookOf([replaces('a', 'b')], { owner: 'workspace' }),
    ];
    const { results, failed } = await run(hooks);
    expect([results.map(({ verdict }) => verdict), failed]).toEqual([[false, true], true]);
  });

  test('on an answer change the answer, and not the request', async () => {
    const answer = (content: string) => ({ choices: [{ message: { role: 'assistant', content } }] });
    const facts = factsOf('a', { phase: 'output', response: answer('a'), responseStatus: 200 });
    const { body } = await runHooks([hookOf([replaces('a', 'b')])], facts, () => toolsOf());
    expect([body, facts.request]).toEqual([answer('b'), chat('a')]);
  });

  test('make what results show when they are asked for', async () => {
    let reads = 0;
    const answer = (): CheckAnswer => ({
      verdict: true,
      get data() {
        reads += 1;
        return { reads };
      },
    });
    const phase = await runHooks([hookOf([{ run: answer }])], factsOf('a'), () => toolsOf());
    expect([phase.denied, phase.failed, reads]).toEqual([undefined, false, 0]);
    expect(phase.results[0]?.checks[0]?.data).toEqual({ reads: 1 });
    expect([phase.results[0]?.checks[0]?.data, reads]).toEqual([{ reads: 1 }, 1]);
  });

  test('that only watch are run, never change anything, and say what they found', async () => {
    const facts = factsOf('a');
    const hooks = [
      hookOf([replaces('a', 'b'), FAIL], { mode: 'monitor', deny: true }),
      hookOf([refuses('b')], { async: true }),
      hookOf([THROWS], { async: true }),
    ];
    const ran = await watchHooks(hooks, facts, () => toolsOf());
    expect(ran.map(({ verdict, hook }) => [verdict, hook.async])).toEqual([
      [false, false],
      [true, true],
      [true, true],
    ]);
    expect(facts.request).toEqual(chat('a'));
  });

  test('have the tools of each hook', async () => {
    const seen: unknown[] = [];
    const asks: TestCheck = { run: (_, { random }) => ({ verdict: seen.push(random()) > 0 }) };
    const hooks = [hookOf([asks], { id: '1' }), hookOf([asks], { id: '2' })];
    await runHooks(hooks, factsOf('a'), ({ id }) => toolsOf({ random: () => Number(id) }));
    expect(seen).toEqual([1, 2]);
  });
});

describe('results', () => {
  test('have the public shape', async () => {
    const data: TestCheck = { run: () => ({ verdict: true, data: { a: 1 }, log: 'l' }) };
    const { results } = await run([hookOf([data, STRICT_ERROR], { id: 'pg-a', deny: true })]);
    const timed = { execution_time: expect.any(Number), created_at: '2027-01-15T08:00:00.000Z' };
    expect(results).toEqual([
      {
        verdict: false,
        id: 'pg-a',
        transformed: false,
        feedback: null,
        async: false,
        type: 'guardrail',
        deny: true,
        ...timed,
        checks: [
          { id: 't.0', verdict: true, data: { a: 1 }, log: 'l', transformed: false, fail_on_error: false, ...timed },
          {
            id: 't.1',
            verdict: false,
            data: null,
            error: { name: 'E', message: 'm' },
            log: null,
            transformed: false,
            fail_on_error: true,
            ...timed,
          },
        ],
      },
    ]);
  });

  test.for<[what: string, checks: TestCheck[], want: object | null]>([
    [
      'of success, which errors are too',
      [PASS, ERROR],
      { value: 5, weight: 1, metadata: { by: 'us', successfulChecks: 't.0', failedChecks: '', erroredChecks: 't.1' } },
    ],
    [
      'of success, whatever failOnError says',
      [STRICT_ERROR],
      { value: 5, weight: 1, metadata: { by: 'us', successfulChecks: '', failedChecks: '', erroredChecks: 't.0' } },
    ],
    [
      'of failure',
      [FAIL, PASS, FAIL],
      { value: -5, weight: 2, metadata: { successfulChecks: 't.1', failedChecks: 't.0, t.2', erroredChecks: '' } },
    ],
    [
      'of a true verdict with an error',
      [ERROR_BUT_TRUE],
      { value: 5, weight: 1, metadata: { by: 'us', successfulChecks: 't.0', failedChecks: '', erroredChecks: '' } },
    ],
  ])('have the feedback %s', async ([, checks, want]) => {
    const onSuccess = { value: 5, weight: 1, metadata: { by: 'us' } };
    const onFail = { value: -5, weight: 2, metadata: {} };
    const { results } = await run([hookOf(checks, { onSuccess, onFail })]);
    expect(results[0]?.feedback).toEqual(want);
  });

  test('have no feedback where none is set for what happened', async () => {
    const { results } = await run([hookOf([PASS], { onFail: { value: -5, weight: 1, metadata: {} } })]);
    expect(results[0]?.feedback).toBeNull();
  });
});
