import type { LogRow } from '@gatehouse/crds/logs';
import type { RecordedRequest, Replayed, ReplayedDecision } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { compare, rowWith } from './compare.ts';

const row = (over: Partial<LogRow> = {}): LogRow =>
  rowWith({
    ...{ is_final: true, api_key: 'key-1', operation: 'chatComplete', method: 'POST', status: 200, config: 'cheap' },
    ...{ config_version: 'v1', mode: 'fallback', target: 'config.targets[0]', provider: 'openai', account: 'main' },
    ...{ model: 'gpt', cost_nano: 5 },
    decision: {
      ...{
        calls: 1,
        config_generation: 2,
        price: 'pricing',
        limits: [
          { id: 'b', passed: true },
          { id: 'a', passed: true },
        ],
      },
      guardrails: [{ id: 'words', phase: 'input', verdict: true, ms: 1 }],
    },
    ...over,
  });

const recorded = (rows: readonly LogRow[] = [row()], isWhole = true): RecordedRequest => ({
  ...{ rows, isWhole, request: undefined },
});

const decided = (over: Partial<ReplayedDecision> = {}, more: object = {}): Replayed => ({
  ...{ kind: 'decided', isRandom: false, isGuess: false, rating: { kind: 'same' }, hasBody: true, hasHeaders: true },
  decision: {
    ...{ config: 'cheap', configVersion: 'v1', configGeneration: 2, mode: 'fallback', prompt: undefined },
    targets: [{ target: 'config.targets[0]', provider: 'openai', account: 'main', model: 'gpt' }],
    ...{ limits: ['a', 'b'], guardrails: ['words'], error: undefined },
    ...over,
  },
  ...more,
});

const marked = (one: RecordedRequest, other: Replayed) =>
  compare(one, other).rows.flatMap(({ what, verdict }) => (verdict === 'same' ? [] : [`${what} ${verdict}`]));

test('equal decisions are the same, whatever the order of limits', () => {
  expect(marked(recorded(), decided())).toEqual([]);
});

describe('of a request that a limit refused', () => {
  const limits = [
    { id: 'a', passed: true },
    { id: 'b', passed: false },
  ];
  const early = row({
    ...{ status: 429, error: 'KEY_RATE_LIMITED', provider: null, account: null, model: null, cost_nano: null },
    ...{ target: null, config: null, config_version: null, mode: null, decision: { calls: 0, limits } },
  });
  const all = ['config', 'version', 'generation', 'mode', 'error', 'target 1', 'guardrails'];

  test('what was behind the limit is unknown', () => {
    const rows = ['limits', ...all].map((what) => `${what} unknown`).toSorted();
    expect(marked(recorded([early]), decided({ limits: ['a', 'b', 'c'] })).toSorted()).toEqual(rows);
    const refused = decided({ error: 'CONFIG_UNKNOWN', targets: [], guardrails: [] });
    expect(marked(recorded([early]), refused)).toContain('error unknown');
  });

  test('a limit that is no longer asked is a difference, and all that follows', () => {
    expect(marked(recorded([early]), decided({ limits: ['a', 'c'] }))).toEqual(
      expect.arrayContaining(['limits differs', 'error differs', 'target 1 differs']),
    );
  });

  test('what was decided before the limit is compared', () => {
    const late = row({ status: 429, error: 'PROVIDER_RATE_LIMITED', decision: { calls: 0, limits } });
    expect(marked(recorded([late]), decided({ config: 'dear', limits: ['a', 'b', 'c'] }))).toEqual([
      'config differs',
      'generation unknown',
      ...['limits unknown', 'guardrails unknown'],
    ]);
  });
});

describe('a difference is marked', () => {
  const target = { target: 'config.targets[0]', provider: 'openai', account: 'main', model: 'gpt' };
  test.for<{ over: Partial<ReplayedDecision>; wanted: readonly string[] }>([
    { over: { config: 'dear' }, wanted: ['config differs'] },
    { over: { configVersion: 'v2', configGeneration: 3 }, wanted: ['version differs', 'generation differs'] },
    { over: { configGeneration: undefined }, wanted: ['generation unknown'] },
    { over: { mode: 'single' }, wanted: ['mode differs'] },
    { over: { prompt: 'hello@1' }, wanted: ['prompt differs'] },
    { over: { error: 'CONFIG_UNKNOWN', targets: [] }, wanted: ['error differs', 'target 1 differs'] },
    { over: { targets: [{ ...target, model: 'other' }] }, wanted: ['target 1 differs'] },
    { over: { targets: [{ ...target, account: undefined }] }, wanted: ['target 1 differs'] },
    { over: { targets: [target, target] }, wanted: ['target 2 differs'] },
    { over: { limits: ['a'] }, wanted: ['limits differs'] },
    { over: { guardrails: [] }, wanted: ['guardrails differs'] },
  ])('$wanted', ({ over, wanted }) => {
    expect(marked(recorded(), decided(over))).toEqual(wanted);
  });

  test('of the price, unless it cannot be computed', () => {
    const dearer = { rating: { kind: 'changed', row: row({ cost_nano: 6 }) } };
    expect(marked(recorded(), decided({}, dearer))).toEqual(['price differs']);
    expect(marked(recorded(), decided({}, { rating: { kind: 'left', why: 'usage' } }))).toEqual(['price unknown']);
  });
});

test('what chance may lead to is possible, what it does not lead to differs', () => {
  expect(marked(recorded(), decided({}, { isRandom: true }))).toEqual(['target 1 possible']);
  expect(marked(recorded(), decided({ targets: [] }, { isRandom: true }))).toEqual(['target 1 differs']);
});

test('of a final row alone the last target counts', () => {
  const first = { target: 'config.targets[9]', provider: 'openai', account: 'x', model: 'gpt' };
  const last = { target: 'config.targets[0]', provider: 'openai', account: 'main', model: 'gpt' };
  expect(marked(recorded([row({ attempt: 1 })], false), decided({ targets: [first, last] }))).toEqual([]);
});

test('a last target that hangs on answers which nobody knows is unknown', () => {
  const other = { target: 'config.targets[9]', provider: 'openai', account: 'x', model: 'gpt' };
  const last = recorded([row({ attempt: 1 })], false);
  expect(marked(last, decided({ targets: [other] }))).toEqual(['last target differs']);
  expect(marked(last, decided({ targets: [other] }, { isGuess: true }))).toEqual(['last target unknown']);
  expect(marked(last, decided({}, { isGuess: true }))).toEqual([]);
});

test.for([
  { why: 'key', wanted: { what: 'key', recorded: 'key-1', now: 'not in the resources' } },
  { why: 'expired', wanted: { what: 'key', recorded: 'key-1', now: 'expired' } },
  { why: 'operation', wanted: { what: 'operation', recorded: 'chatComplete' } },
] as const)('nothing else is compared where $why stands in the way', ({ why, wanted }) => {
  expect(compare(recorded(), { kind: 'refused', why }).rows).toEqual([
    expect.objectContaining({ ...wanted, verdict: 'differs' }),
  ]);
});

test('rows of the models that an output of a batch names are no targets', () => {
  const call = row({ operation: 'getBatchOutput', model: null, cost_nano: null });
  const ofModel = (model: string): LogRow => row({ ...call, is_final: false, model, cost_nano: 5 });
  const { account, provider, target } = call;
  const now = decided({
    targets: [{ target: target ?? '', provider: provider ?? '', account: account ?? '', model: undefined }],
  });
  expect(marked(recorded([call, ofModel('gpt-4o'), ofModel('gpt-4o-mini')]), now)).toEqual([]);
});
