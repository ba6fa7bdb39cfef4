import { DEFAULT_TARGET_CAPS, parseInlineConfig } from '@gatehouse/crds/config';
import type { FallbackRule } from '@gatehouse/crds/errors';
import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan, type RouteContext, type RouteOutcome, type Telling, walkPlan } from './index.ts';
import { pickWeighted } from './walk.ts';

interface Outcome extends RouteOutcome {
  readonly name: string;
}

interface World {
  /** What each target answers, by the name in its slug. */
  readonly answers?: Readonly<Record<string, number | readonly [status: number, fallback: FallbackRule]>>;
  readonly random?: readonly number[];
  readonly open?: readonly string[];
  readonly stored?: number;
  readonly facts?: object;
  readonly repeatable?: () => boolean;
  /** What a status says, where one target keeps what is asked for. */
  readonly tells?: Readonly<Record<number, Telling>>;
}

async function walk(document: object, world: World = {}) {
  const node = unwrap(parseInlineConfig(document, { caps: DEFAULT_TARGET_CAPS, saved: false }));
  const plan = compilePlan(node, { saved: { slug: 's', version: 'v' }, credential: () => undefined });
  const tried: string[] = [];
  const abandoned: string[] = [];
  const stuck: unknown[] = [];
  const draws = [...(world.random ?? [])];
  const context: RouteContext<Outcome> = {
    facts: () => ({
      metadata: {},
      params: {},
      pathname: '/',
      work: { left: 1_000_000, nextSlice: async () => {} },
      ...world.facts,
    }),
    random: () => draws.shift() ?? 0,
    open: new Set(world.open),
    repeatable: world.repeatable ?? (() => true),
    attempt: async ({ source, path }) => {
      const name = source.kind === 'managed' ? source.slug : path;
      tried.push(name);
      const answer = world.answers?.[name] ?? 200;
      const [status, fallback] = typeof answer === 'number' ? ([answer, 'status'] as const) : answer;
      return { name, status, fallback };
    },
    tells: world.tells && (({ status }) => world.tells?.[status] ?? 'unknown'),
    abandon: ({ name }) => void abandoned.push(name),
    stick: async (_plan, branch, draw) => {
      const index = draw(world.stored);
      stuck.push([branch, index]);
      return index;
    },
  };
  const outcome = await walkPlan(plan.root, context);
  return { ...outcome, tried, abandoned, stuck };
}

const to = (...names: string[]) => names.map((name) => ({ provider: `@${name}` }));

describe('single', () => {
  test('tries the first target and no other', async () => {
    const { tried, status } = await walk(
      { strategy: { mode: 'single' }, targets: to('a', 'b') },
      { answers: { a: 500 } },
    );
    expect([tried, status]).toEqual([['a'], 500]);
  });
});

describe('a fallback', () => {
  const chain = (codes?: number[]) => ({
    strategy: { mode: 'fallback', ...(codes === undefined ? {} : { on_status_codes: codes }) },
    targets: to('a', 'b', 'c'),
  });

  test.for<{ rule: string; codes?: number[]; answers: NonNullable<World['answers']>; tried: string[]; status: number }>(
    [
      { rule: 'stops at any 2xx', answers: { a: 246 }, tried: ['a'], status: 246 },
      { rule: 'goes on at anything else', answers: { a: 404, b: 302 }, tried: ['a', 'b', 'c'], status: 200 },
      { rule: 'answers with the last one', answers: { a: 500, b: 501, c: 502 }, tried: ['a', 'b', 'c'], status: 502 },
      { rule: 'with codes goes on at those', codes: [429], answers: { a: 429 }, tried: ['a', 'b'], status: 200 },
      { rule: 'with codes stops at others', codes: [429], answers: { a: 500 }, tried: ['a'], status: 500 },
      { rule: 'with codes goes on even at a good one', codes: [200], answers: {}, tried: ['a', 'b', 'c'], status: 200 },
      { rule: 'stops at an error of the gateway', answers: { a: [500, 'stop'] }, tried: ['a'], status: 500 },
      {
        rule: 'stops at an error of the gateway, listed or not',
        codes: [500],
        answers: { a: [500, 'stop'] },
        tried: ['a'],
        status: 500,
      },
      {
        rule: 'stops at what its target cannot do',
        answers: { a: [400, 'stop-unless-listed'] },
        tried: ['a'],
        status: 400,
      },
      {
        rule: 'goes on at what its target cannot do, when listed',
        codes: [400],
        answers: { a: [400, 'stop-unless-listed'] },
        tried: ['a', 'b'],
        status: 200,
      },
    ],
  )('$rule', async ({ codes, answers, tried, status }) => {
    const walked = await walk(chain(codes), { answers });
    expect(walked).toMatchObject({ tried, status });
    expect(walked.abandoned).toEqual(tried.slice(0, -1));
  });

  test('leaves open targets out, and takes all when all are open', async () => {
    const [a, b, c] = [0, 1, 2].map((i) => `config.targets[${i}]`);
    const answers = { a: 500, b: 500, c: 500 };
    expect((await walk(chain(), { answers, open: [a ?? '', c ?? ''] })).tried).toEqual(['b']);
    expect((await walk(chain(), { answers, open: [a ?? '', b ?? '', c ?? ''] })).tried).toEqual(['a', 'b', 'c']);
  });

  test('stays with a failure when the request cannot be sent again', async () => {
    expect(await walk(chain(), { answers: { a: 500 }, repeatable: () => false })).toMatchObject({
      tried: ['a'],
      status: 500,
      abandoned: [],
    });
  });

  test('nests: an inner chain answers before the outer one goes on', async () => {
    const document = {
      strategy: { mode: 'fallback', on_status_codes: [503] },
      targets: [{ strategy: { mode: 'fallback' }, targets: to('a', 'b') }, ...to('c')],
    };
    expect((await walk(document, { answers: { a: 500, b: 503 } })).tried).toEqual(['a', 'b', 'c']);
    expect((await walk(document, { answers: { a: 503, b: 500 } })).tried).toEqual(['a', 'b']);
  });
});

describe('a load balancer', () => {
  const balancer = (weights: readonly (number | undefined)[], sticky?: object) => ({
    strategy: { mode: 'loadbalance', ...(sticky === undefined ? {} : { sticky }) },
    targets: weights.map((weight, i) => ({ provider: `@t${i}`, ...(weight === undefined ? {} : { weight }) })),
  });

  test.for<{ rule: string; weights: (number | undefined)[]; at: number; open?: number[]; want: string }>([
    { rule: 'draws by weight', weights: [1, 3], at: 0.3, want: 't1' },
    { rule: 'weighs 1 by default', weights: [undefined, undefined], at: 0.49, want: 't0' },
    { rule: 'draws among the healthy', weights: [1, 1, 2], at: 0.5, open: [2], want: 't1' },
    { rule: 'never draws weight 0', weights: [0, 1], at: 0, want: 't1' },
    { rule: 'never draws weight 0, though all others are open', weights: [0, 1, 1], at: 0, open: [1, 2], want: 't1' },
    { rule: 'takes all when all are open', weights: [1, 1], at: 0.9, open: [0, 1], want: 't1' },
  ])('$rule', async ({ weights, at, open = [], want }) => {
    const paths = open.map((i) => `config.targets[${i}]`);
    expect((await walk(balancer(weights), { random: [at], open: paths })).tried).toEqual([want]);
  });

  test('tries exactly one target', async () => {
    expect((await walk(balancer([1, 1]), { answers: { t0: 500 } })).tried).toEqual(['t0']);
  });

  test.for<{ rule: string; stored?: number; open?: number[]; want: number }>([
    { rule: 'keeps what is stored', stored: 1, want: 1 },
    { rule: 'draws when nothing is stored', want: 0 },
    { rule: 'draws again when the stored target is open', stored: 1, open: [1], want: 0 },
    { rule: 'draws again when the stored index is none of its targets', stored: 7, want: 0 },
    { rule: 'draws again when the stored target weighs nothing now', stored: 2, want: 0 },
  ])('that is sticky $rule', async ({ stored, open = [], want }) => {
    const walked = await walk(balancer([1, 1, 0], { enabled: true }), {
      open: open.map((i) => `config.targets[${i}]`),
      ...(stored === undefined ? {} : { stored }),
    });
    expect(walked.stuck).toEqual([['config', want]]);
    expect(walked.tried).toEqual([`t${want}`]);
  });
});

describe('conditions', () => {
  const when = (value: string, then: string) => ({ query: { 'metadata.plan': value }, then });
  const document = (fallback?: string) => ({
    strategy: {
      mode: 'conditional',
      conditions: [when('a', 'first'), when('a', 'second'), when('b', 'second')],
      ...(fallback === undefined ? {} : { default: fallback }),
    },
    targets: [
      { name: 'first', provider: '@first' },
      { name: 'second', provider: '@second' },
    ],
  });
  const facts = (plan: string) => ({ facts: { metadata: { plan } } });

  test('take the first that holds, else the default', async () => {
    expect((await walk(document('second'), facts('a'))).tried).toEqual(['first']);
    expect((await walk(document('second'), facts('b'))).tried).toEqual(['second']);
    expect((await walk(document('second'), facts('c'))).tried).toEqual(['second']);
  });

  test('of which none holds, without a default, are an error', async () => {
    await expect(walk(document(), facts('c'))).rejects.toMatchObject({ code: 'CONDITION_UNMATCHED' });
  });
});

/** A generator of numbers in [0, 1) that is the same on every machine (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('a draw', () => {
  test.for([
    { rule: 'begins with the first candidate', at: 0, want: 0 },
    { rule: 'ends one candidate where the next begins', at: 0.25, want: 2 },
    { rule: 'stays inside the last one', at: 0.999_999_999_999, want: 3 },
  ])('$rule', ({ at, want }) => {
    expect(pickWeighted([1, 0, 1, 2], [0, 1, 2, 3], at)).toBe(want);
  });

  test('knows only its candidates', () => {
    expect(pickWeighted([100, 1, 1], [1, 2], 0)).toBe(1);
    expect(pickWeighted([100, 1, 1], [1, 2], 0.99)).toBe(2);
  });

  test('gives each candidate its share', () => {
    const draws = 20_000;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 6 }),
        fc.integer(),
        (weights, seed) => {
          const total = weights.reduce((sum, weight) => sum + weight, 0);
          fc.pre(total > 0);
          const random = seeded(seed);
          const counts = weights.map(() => 0);
          const candidates = [...weights.keys()];
          for (let i = 0; i < draws; i += 1) {
            const index = pickWeighted(weights, candidates, random());
            counts[index] = (counts[index] ?? 0) + 1;
          }
          for (const [i, weight] of weights.entries()) {
            const share = weight / total;
            const deviation = Math.sqrt((share * (1 - share)) / draws);
            expect(Math.abs((counts[i] ?? 0) / draws - share)).toBeLessThanOrEqual(6 * deviation); // 1 in 10^9
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('what one target keeps', () => {
  const tells = { 200: 'found', 400: 'unable', 404: 'absent' } as const;
  const fallback = { strategy: { mode: 'fallback', on_status_codes: [429] }, targets: to('a', 'b', 'c') };
  const unlisted = [400, 'stop-unless-listed'] as const;

  test.for<[rule: string, answers: World['answers'], name: string, tried: string]>([
    ['is found wherever it is', { a: 404, b: unlisted, c: 200 }, 'c', 'abc'],
    ['is asked for no further', { a: 404, b: 200 }, 'b', 'ab'],
    ['is absent although others cannot keep it', { a: unlisted, b: 404, c: unlisted }, 'b', 'abc'],
    ['may be where nobody said', { a: 404, b: 500, c: 404 }, 'b', 'abc'],
    ['is kept by none', { a: unlisted, b: unlisted, c: unlisted }, 'a', 'abc'],
    ['is not asked for once the request has ended', { a: 404, b: [403, 'stop'] }, 'b', 'ab'],
  ])('%s', async ([, answers, name, tried]) => {
    const outcome = await walk(fallback, { tells, ...(answers && { answers }) });
    expect([outcome.name, outcome.tried.join('')]).toEqual([name, tried]);
    expect([...outcome.abandoned, name].sort()).toEqual([...outcome.tried].sort());
  });

  test('is looked for at every balanced target with a weight, in nested ones and behind open circuits', async () => {
    const document = {
      strategy: { mode: 'loadbalance' },
      targets: [
        { provider: '@a', weight: 1 },
        { provider: '@z', weight: 0 },
        { strategy: { mode: 'fallback' }, targets: to('b', 'c'), weight: 1 },
      ],
    };
    const answers = { a: 404, b: 404 };
    const outcome = await walk(document, { tells, answers, random: [0.99], open: ['config.targets[0]'] });
    expect([outcome.name, outcome.tried]).toEqual(['c', ['a', 'b', 'c']]);
  });

  test('is not looked for beyond the calls of the request', async () => {
    const outcome = await walk(fallback, { tells, answers: { a: 404 }, repeatable: () => false });
    expect([outcome.status, outcome.tried]).toEqual([404, ['a']]);
  });
});
