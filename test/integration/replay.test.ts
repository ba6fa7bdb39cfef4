/** Decisions made again: requests of a gateway, and what it has logged of them. */
import { type AnyEntry, digestOf, type EntryBody, type Snapshot } from '@gatehouse/crds/snapshot';
import { isOnlyRow, replayRequest } from '@gatehouse/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Compared, compare } from '../../standalone/src/cli/replay/compare.ts';
import { startWorld, type World } from '../kit/gateway.ts';
import { memoryLog } from '../kit/request-log.ts';
import { config, guardrail, key, price, provider, snapshot, TEAM, workspace } from '../kit/snapshot.ts';

const log = memoryLog();
let world: World;
let entries: readonly AnyEntry[];

const when = (query: object, then: string) => ({ query, then });

const CONFIGS = {
  chain: {
    strategy: { mode: 'fallback' },
    targets: [
      { provider: '@main', overrideParams: { model: 'mock-fail-503' } },
      { provider: '@spare', overrideParams: { model: 'mock-small' } },
    ],
  },
  tried: {
    strategy: { mode: 'fallback' },
    targets: [
      { provider: '@main', overrideParams: { model: 'mock-fail-503' }, retry: { attempts: 1, onStatusCodes: [503] } },
      { provider: '@spare', overrideParams: { model: 'mock-small' } },
    ],
  },
  codes: {
    strategy: { mode: 'fallback', onStatusCodes: [429] },
    targets: [
      { provider: '@main', overrideParams: { model: 'mock-fail-429' } },
      { provider: '@spare', overrideParams: { model: 'mock-small' } },
    ],
  },
  rules: {
    strategy: {
      mode: 'conditional',
      conditions: [when({ 'params.user': 'ann' }, 'spare')],
      default: 'main',
    },
    targets: [
      { name: 'main', provider: '@main' },
      { name: 'spare', provider: '@spare' },
    ],
  },
  narrow: { provider: '@narrow' },
  'narrow first': { strategy: { mode: 'fallback' }, targets: [{ provider: '@narrow' }, { provider: '@spare' }] },
  dice: {
    strategy: { mode: 'loadbalance' },
    targets: [
      { provider: '@main', weight: 0.02 },
      { provider: '@spare', weight: 0.98 },
    ],
  },
} as const;

const kept = (mode: string, ...slugs: readonly string[]) => ({
  strategy: mode === 'fallback' ? { mode, onStatusCodes: [429] } : { mode },
  targets: slugs.map((slug) => ({ provider: slug })),
});
/** Of targets that may keep a response: one that has none, one that keeps none, and one that has what is made there. */
const LOOKUPS = {
  'kept last': kept('fallback', '@empty', '@claude', '@main'),
  'kept first': kept('fallback', '@main', '@empty'),
  'kept between': kept('loadbalance', '@claude', '@main', '@empty'),
};

const ONCE = 'gwk_test_ffffffffffffffffffffffffffffffff';
const ONE: EntryBody<'key'>['rateLimits'] = [{ type: 'requests', unit: 'rpd', value: 1 }];
const LARGE: EntryBody<'key'>['usageLimits'] = [{ name: 'all', type: 'cost', limit: 1_000_000_000 }];

beforeAll(async () => {
  world = await startWorld({
    requestLog: log,
    entries: ({ url }) => {
      entries = [
        workspace(TEAM, { defaults: { inputGuardrails: ['no-secret'] } }),
        guardrail('no-secret', [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }]),
        ...provider('main', { customHost: `${url}/v1` }),
        ...provider('spare', { customHost: `${url}/v1` }),
        key({
          rateLimits: [{ type: 'requests', unit: 'rpm', value: 1_000 }],
          usageLimits: LARGE,
        }),
        key({ name: 'once', secret: ONCE, rateLimits: ONE, usageLimits: LARGE }),
        ...provider('empty', { customHost: `${url}/v1/nothing` }),
        ...provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
        ...provider('narrow', { customHost: `${url}/v1`, rateLimits: ONE, usageLimits: LARGE }),
        price('mock-small', { usdPerMillionTokens: { request: '2', response: '3' } }),
        ...Object.entries({ ...CONFIGS, ...LOOKUPS }).map(([name, node]) => ({ ...config(name, node), generation: 3 })),
      ];
      return entries as AnyEntry[];
    },
  });
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** A request as the log has it. */
async function logged(headers: Readonly<Record<string, string>>, body: object = {}) {
  return await recordOf(
    world.send('/v1/chat/completions', {
      headers,
      body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }], ...body },
    }),
  );
}

async function recordOf(sent: ReturnType<World['send']>) {
  const answer = await sent;
  const records = await log.next();
  const final = records.find(({ row }) => row.is_final);
  const content = final?.content === undefined ? undefined : JSON.parse(final.content);
  const rows = records.map(({ row }) => row).toSorted((one, other) => one.attempt - other.attempt);
  return { status: answer.status, rows, request: content?.request };
}

type Logged = Awaited<ReturnType<typeof logged>>;

/** `change`: of the resources since then. */
async function replayed(
  { rows, request }: Logged,
  change: (entry: AnyEntry) => AnyEntry | undefined = (entry) => entry,
  isWhole = true,
) {
  const later: Snapshot = snapshot(...entries.flatMap((entry) => change(entry) ?? []));
  const recorded = { rows, isWhole, request };
  return compare(recorded, await replayRequest(later, recorded, Date.now()));
}

const differing = ({ rows }: { readonly rows: readonly Compared[] }) =>
  rows.filter(({ verdict }) => verdict !== 'same').map(({ what, verdict }) => `${what} ${verdict}`);

const withBody =
  (id: string, change: (body: Readonly<Record<string, unknown>>) => object, generation = 4) =>
  (entry: AnyEntry): AnyEntry => {
    if (entry.id !== id) return entry;
    const body = { ...entry.body, ...change(entry.body as unknown as Record<string, unknown>) };
    return { ...entry, generation, digest: digestOf(body), body } as AnyEntry;
  };

describe('with the resources of then the decision is the same', () => {
  test.for([
    { rule: 'of a fallback', headers: { 'x-gw-config': 'chain' }, body: {} },
    { rule: 'of targets that were retried', headers: { 'x-gw-config': 'tried' }, body: {} },
    { rule: 'of a fallback with codes of its own', headers: { 'x-gw-config': 'codes' }, body: {} },
    { rule: 'of a condition on the body', headers: { 'x-gw-config': 'rules' }, body: { user: 'ann' } },
    { rule: 'of an inline config', headers: { 'x-gw-config': '{"provider":"@spare"}' }, body: {} },
    { rule: 'of an account in a header', headers: { 'x-gw-provider': '@main' }, body: {} },
    { rule: 'of an account in the model', headers: {}, body: { model: '@spare/mock-small' } },
    { rule: 'of a stream', headers: { 'x-gw-config': 'chain' }, body: { stream: true } },
    {
      rule: 'of a guardrail',
      headers: { 'x-gw-config': 'chain' },
      body: { messages: [{ role: 'user', content: 'SECRET' }] },
    },
    { rule: 'that refused it', headers: { 'x-gw-config': 'no-such' }, body: {} },
  ])('$rule', async ({ headers, body }) => {
    const before = await logged(headers, body);
    expect(differing(await replayed(before))).toEqual([]);
    const last = { ...before, rows: before.rows.slice(-1) };
    expect(differing(await replayed(last, undefined, last.rows[0]?.attempt === 0))).toEqual([]);
  });

  test('of chance, where it is possible', async () => {
    const before = await logged({ 'x-gw-config': 'dice' });
    const [row] = before.rows;
    const seldom = {
      ...before,
      rows: [{ ...row, target: 'config.targets[0]', account: 'main' } as typeof row],
    } as Logged;
    expect(differing(await replayed(before))).toEqual(['target 1 possible']);
    expect(differing(await replayed(seldom))).toEqual(['target 1 possible']);
    const never = { ...before, rows: [{ ...row, target: 'config.targets[7]' } as typeof row] } as Logged;
    expect(differing(await replayed(never))).toEqual(['target 1 differs']);
  });
});

describe('of a response that one target keeps, the targets that are asked are the same', () => {
  /** The call about a response that `@main` has, or about one that no target has. */
  async function lookedUp(name: string, known: boolean, method: 'GET' | 'DELETE' = 'GET', below = '') {
    let id = 'resp_unknown';
    if (known) {
      const body = { model: 'mock-small', input: 'hi' };
      const made = await world.send('/v1/responses', { headers: { 'x-gw-provider': '@main' }, body });
      id = made.json().id;
      await log.next();
    }
    return await recordOf(world.send(`/v1/responses/${id}${below}`, { method, headers: { 'x-gw-config': name } }));
  }

  test.for([
    { name: 'kept last', known: true, targets: 3 },
    { name: 'kept first', known: true, targets: 1 },
    { name: 'kept between', known: true, targets: 2 },
    { name: 'kept between', known: true, targets: 2, method: 'DELETE' as const },
    { name: 'kept between', known: true, targets: 2, below: '/input_items' },
    { name: 'kept last', known: false, targets: 3 },
    { name: 'kept first', known: false, targets: 2 },
    { name: 'kept between', known: false, targets: 3 },
  ])('$name, known: $known $method $below', async ({ name, known, targets, method, below }) => {
    const before = await lookedUp(name, known, method, below);
    expect(before.status).toBe(known ? 200 : 404);
    const whole = await replayed(before);
    expect(differing(whole)).toEqual([]);
    expect(whole.rows.filter(({ what }) => what.startsWith('target '))).toHaveLength(targets);
    const rows = before.rows.filter(({ is_final }) => is_final);
    const last = await replayed({ ...before, rows }, undefined, rows.every(isOnlyRow));
    expect(differing(last)).toEqual([]);
  });

  test('a target that is asked no more is marked', async () => {
    const before = await lookedUp('kept last', true);
    const fewer = await replayed(
      before,
      withBody('config/team-a/kept last', ({ node }) => ({
        node: { ...Object(node), targets: Object(node).targets.slice(1) },
      })),
    );
    expect(differing(fewer)).toEqual(expect.arrayContaining(['target 1 differs', 'target 3 differs']));
  });
});

/** The first request that a limit refuses. */
async function refused(headers: Readonly<Record<string, string>>): Promise<Logged> {
  for (;;) {
    const before = await logged(headers);
    if (before.rows.some(({ decision }) => decision.limits?.some(({ passed }) => !passed))) return before;
  }
}

describe('of a request that a limit refused', () => {
  test.for([
    {
      of: 'its key',
      headers: { 'x-gw-api-key': ONCE, 'x-gw-config': 'chain' },
      unknown: ['config', 'version', 'generation', 'mode', 'error', 'target 1', 'limits', 'guardrails'],
    },
    { of: 'an account', headers: { 'x-gw-config': 'narrow' }, unknown: [] },
    { of: 'an account, from which a fallback went on', headers: { 'x-gw-config': 'narrow first' }, unknown: [] },
  ])('what was not decided is unknown: $of', async ({ headers, unknown }) => {
    const before = await refused(headers);
    const { rows, notes } = await replayed(before);
    expect([differing({ rows }), notes.join()]).toEqual([
      unknown.map((what) => `${what} unknown`),
      expect.stringContaining('a limit refused it'),
    ]);
  });

  test('a limit that is gone is a difference', async () => {
    const before = await refused({ 'x-gw-api-key': ONCE, 'x-gw-config': 'chain' });
    const free = await replayed(
      before,
      withBody('key/team-a/once', () => ({ rateLimits: [] })),
    );
    expect(differing(free)).toEqual(expect.arrayContaining(['error differs', 'limits differs']));
  });
});

describe('what has changed is marked:', () => {
  test('targets of a config', async () => {
    const before = await logged({ 'x-gw-config': 'chain' });
    const swapped = await replayed(
      before,
      withBody('config/team-a/chain', ({ node }) => ({
        version: 'later',
        node: { ...Object(node), targets: [...Object(node).targets].reverse() },
      })),
    );
    expect(differing(swapped)).toEqual(
      expect.arrayContaining(['version differs', 'generation differs', 'target 1 differs', 'target 2 differs']),
    );
    const rows = Object.fromEntries(swapped.rows.map(({ what, recorded, now }) => [what, [recorded, now]]));
    expect(rows['generation']).toEqual(['3', '4']);
    expect(rows['target 1']).toEqual([
      'config.targets[0] @main mock-fail-503',
      expect.stringContaining('config.targets[0] @spare'),
    ]);
  });

  test('a config that is gone', async () => {
    const before = await logged({ 'x-gw-config': 'rules' });
    const gone = await replayed(before, (entry) => (entry.id === 'config/team-a/rules' ? undefined : entry));
    expect(gone.rows.find(({ what }) => what === 'error')).toEqual({
      ...{ what: 'error', recorded: '-', now: 'CONFIG_UNKNOWN', verdict: 'differs' },
    });
  });

  test('limits of a key, and a budget', async () => {
    const before = await logged({ 'x-gw-config': 'rules' });
    const free = await replayed(before, (entry) =>
      entry.kind === 'key' ? withBody(entry.id, () => ({ rateLimits: [], usageLimits: [] }))(entry) : entry,
    );
    expect(differing(free)).toEqual(['limits differs']);
    const { recorded, now } = free.rows.find(({ what }) => what === 'limits') ?? {};
    expect([recorded?.split(', '), now]).toEqual([Array(2).fill(expect.stringContaining('key')), '-']);
  });

  test('guardrails', async () => {
    const before = await logged({ 'x-gw-config': 'rules' });
    const open = await replayed(
      before,
      withBody('workspace/team-a/team-a', () => ({ defaults: {} })),
    );
    expect(differing(open)).toEqual(['guardrails differs']);
  });

  test('a price', async () => {
    const before = await logged({ 'x-gw-config': 'rules' });
    const dearer = await replayed(before, (entry) =>
      entry.kind === 'price'
        ? withBody(entry.id, () => ({ usdPerMillionTokens: { request: '20', response: '30' } }))(entry)
        : entry,
    );
    expect(differing(dearer)).toEqual(['price differs']);
  });

  test('a key that is gone', async () => {
    const before = await logged({ 'x-gw-config': 'rules' });
    const gone = await replayed(before, (entry) => (entry.kind === 'key' ? undefined : entry));
    expect(gone.rows).toEqual([expect.objectContaining({ what: 'key', verdict: 'differs' })]);
  });
});

describe('what is not in the record is said:', () => {
  test('headers and body', async () => {
    const { rows } = await logged({ 'x-gw-config': 'chain' });
    const bare = await replayed({ rows, status: 200, request: undefined });
    expect([differing(bare), bare.notes.join()]).toEqual([[], expect.stringMatching(/headers were not kept.*body/)]);
  });

  test('attempts before the last one', async () => {
    const before = await logged({ 'x-gw-config': 'chain' });
    const last = { ...before, rows: before.rows.slice(-1) };
    const known = await replayed(last, undefined, false);
    expect([differing(known), known.notes.join()]).toEqual([[], expect.stringContaining('last attempt alone')]);
  });
});

test('no provider is called, and no credential is shown', async () => {
  const before = await logged({ 'x-gw-config': '{"provider":"openai","api_key":"own-credential-of-the-client"}' });
  const calls = world.mock.requests.length;
  const made = await replayed(before);
  expect(world.mock.requests).toHaveLength(calls);
  expect(JSON.stringify(made)).not.toContain('own-credential');
});
