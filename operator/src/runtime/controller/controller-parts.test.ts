import { describe, expect, test } from 'vitest';
import { ApiError, type KubeObject } from '../client/index.ts';
import { createStore } from '../store/index.ts';
import { defineController } from './controller.ts';
import { createScheduler, failureReason, logRun, resultOfError, resultOfHalt } from './run-result.ts';
import { done, type Halt, InvariantError, RunEndedError, retryFrom, stall, unmetStatus, wait } from './step-result.ts';
import { onOwned, onReferenced, onSelf, type WatchRule } from './watch-rules.ts';

/** The API server's answer to a Deployment that breaks two of its rules. */
const REFUSED = new ApiError({
  status: 422,
  reason: 'Invalid',
  message: 'Deployment.apps "f-gateway" is invalid: Invalid value: "hush"',
  subject: { kind: 'Deployment', name: 'f-gateway' },
  causes: [
    { reason: 'FieldValueInvalid', field: 'spec.template.labels', message: 'Invalid value: "hush"' },
    { reason: 'FieldValueInvalid', field: 'spec.template.labels', message: 'Invalid value: "hush again"' },
    { reason: 'FieldValueForbidden', field: 'data', message: 'hush' },
  ],
});

const apiError = (status: number, reason: string, retryAfterMs?: number): ApiError =>
  new ApiError({ status, reason, message: 'quotes the object', retryAfterMs });

describe('what a step throws', () => {
  test.for([
    { rule: 'a failed call is tried again', error: apiError(503, 'ServiceUnavailable'), want: 'retry' },
    { rule: 'a missing right is tried again', error: apiError(403, 'Forbidden'), want: 'retry' },
    { rule: 'an error of its own is tried again', error: new Error('boom'), want: 'retry' },
    { rule: 'a broken invariant is a fault', error: new InvariantError('boom'), want: 'fault' },
    { rule: 'a mistake in the program is a fault', error: new TypeError('boom'), want: 'fault' },
  ])('$rule', ({ error, want }) => {
    const halt = retryFrom(error);
    expect(halt).toMatchObject({ kind: want, cause: error });
    expect(halt.message).not.toContain('boom');
    expect(halt.message).not.toContain('quotes');
    expect(retryFrom(error)).toEqual(halt);
  });

  test.for([
    { rule: 'a conflict', error: apiError(409, 'Conflict'), want: 'conflict' },
    { rule: 'a race of creation', error: apiError(409, 'AlreadyExists'), want: 'conflict' },
    { rule: 'an expired version', error: apiError(410, 'Expired'), want: 'conflict' },
    { rule: 'a limit', error: apiError(429, 'TooManyRequests'), want: 'conflict' },
    { rule: 'the end of the process', error: new RunEndedError('stopped'), want: 'stopped' },
    { rule: 'the deadline', error: new RunEndedError('deadline'), want: 'deadline' },
    { rule: 'an abort of Node', error: new Error('x', { cause: new RunEndedError('deadline') }), want: 'deadline' },
  ])('leaves the status as it is for $rule', ({ error, want }) => {
    expect(() => retryFrom(error)).toThrow(error);
    expect(resultOfError(error).kind).toBe(want);
  });

  test.for<{ halt: Halt; want: string }>([
    { halt: stall('Invalid', 'm'), want: 'False' },
    { halt: wait('Pending', 'm', { afterMs: 1 }), want: 'Unknown' },
    { halt: retryFrom(new Error('boom')), want: 'Unknown' },
    { halt: retryFrom(new TypeError('boom')), want: 'False' },
  ])('leaves conditions $want after $halt.kind', ({ halt, want }) => {
    expect(unmetStatus(halt)).toBe(want);
  });

  test('is a stall where the API server refuses an object as invalid', () => {
    const halt = retryFrom(REFUSED);
    expect(halt).toMatchObject({ kind: 'stall', reason: 'Invalid', cause: REFUSED });
    for (const named of [
      'Deployment f-gateway',
      'spec.template.labels (FieldValueInvalid)',
      'data (FieldValueForbidden)',
    ])
      expect(halt.message.split(named)).toHaveLength(2);
    expect(halt.message).not.toContain('hush');
    expect(retryFrom(apiError(422, 'Invalid'))).toMatchObject({ kind: 'stall', reason: 'Invalid' });
  });

  test('is a message of bounded length', () => {
    const cause = (i: number) => ({ reason: 'FieldValueInvalid', field: `f${i}.${'x'.repeat(400)}`, message: '' });
    const causes = Array.from({ length: 99 }, (_, i) => cause(i));
    const { message } = retryFrom(new ApiError({ status: 422, reason: 'Invalid', message: '', causes }));
    expect(message.length).toBeLessThan(1_024);
  });

  test('needs no explanation for success', () => {
    expect(done('Good')).toEqual({ kind: 'done', message: 'Good' });
  });
});

describe('the decision after a run', () => {
  const scheduler = () => {
    const calls: string[] = [];
    const settle = createScheduler({
      add: (key, { afterMs } = {}) => calls.push(`add ${key} ${afterMs}`),
      retry: (key) => calls.push(`retry ${key}`),
      forget: (key) => calls.push(`forget ${key}`),
    });
    return { calls, settle };
  };
  const conflict = resultOfError(apiError(409, 'Conflict'));

  test.for([
    { rule: 'done forgets failures', outcome: { kind: 'done' } as const, want: ['forget a'] },
    { rule: 'a stall waits for a change', outcome: resultOfHalt(stall('Invalid', 'm')), want: ['forget a'] },
    {
      rule: 'a wait comes again',
      outcome: resultOfHalt(wait('Pending', 'm', { afterMs: 7 })),
      want: ['forget a', 'add a 7'],
    },
    {
      rule: 'a refusal comes again, since its reason may go in silence',
      outcome: resultOfHalt(retryFrom(REFUSED)),
      want: ['forget a', 'add a 300000'],
    },
    { rule: 'a failure backs off', outcome: resultOfHalt(retryFrom(new Error('boom'))), want: ['retry a'] },
    { rule: 'a fault backs off', outcome: resultOfError(new TypeError('boom')), want: ['retry a'] },
    { rule: 'a deadline backs off', outcome: resultOfError(new RunEndedError('deadline')), want: ['retry a'] },
    { rule: 'a conflict comes again at once', outcome: conflict, want: ['add a 0'] },
    {
      rule: 'a limit comes again when the server says',
      outcome: resultOfError(apiError(429, 'TooManyRequests', 3_000)),
      want: ['add a 3000'],
    },
  ])('$rule', ({ outcome, want }) => {
    const { calls, settle } = scheduler();
    settle('a', outcome);
    expect(calls).toEqual(want);
  });

  test('slows down when conflicts follow each other, and starts over after anything else', () => {
    const { calls, settle } = scheduler();
    for (let i = 0; i < 9; i += 1) settle('a', conflict);
    settle('a', { kind: 'done' });
    settle('a', conflict);
    const delays = calls.filter((call) => call.startsWith('add')).map((call) => Number(call.split(' ')[2]));
    expect(delays).toEqual([0, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 0]);
  });
});

describe('the line of a run', () => {
  const logged = (error: unknown, entered = true) => {
    const lines: { level: string; fields: object }[] = [];
    const at = (level: string) => (fields: object) => lines.push({ level, fields });
    const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
    const outcome = error instanceof Error ? resultOfError(error) : resultOfHalt(error as Halt); // one of both
    logRun(log, { key: 'a' }, { outcome, entered });
    return { line: lines[0], reason: failureReason(outcome) };
  };

  test.for([
    { rule: 'a stall warns once', error: stall('Invalid', 'm'), level: 'warn', reason: undefined },
    { rule: 'a wait informs once', error: wait('Pending', 'm', { afterMs: 1 }), level: 'info', reason: undefined },
    {
      rule: 'a failed call is an error',
      error: apiError(500, 'InternalError'),
      level: 'error',
      reason: 'InternalError',
    },
    { rule: 'a fault is an error', error: new TypeError('boom'), level: 'error', reason: 'InternalError' },
    { rule: 'a deadline is an error', error: new RunEndedError('deadline'), level: 'error', reason: 'Deadline' },
    { rule: 'a conflict is not worth a line', error: apiError(409, 'Conflict'), level: 'debug', reason: 'Conflict' },
    { rule: 'the end is not worth a line', error: new RunEndedError('stopped'), level: 'debug', reason: undefined },
  ])('$rule', ({ error, level, reason }) => {
    expect(logged(error)).toMatchObject({ line: { level }, reason });
  });

  test('names what was refused', () => {
    const { line } = logged(retryFrom(REFUSED));
    expect(line?.fields).toMatchObject({ object: { kind: 'Deployment', name: 'f-gateway' } });
    expect(line?.fields).toMatchObject({ fields: [{ field: 'spec.template.labels' }, { field: 'data' }] });
    expect(JSON.stringify(line)).not.toContain('hush');
  });

  test('is logged once while a stall lasts, without the text of API errors', () => {
    expect(logged(stall('Invalid', 'm'), false).line?.level).toBe('debug');
    expect(JSON.stringify(logged(apiError(500, 'InternalError')).line)).not.toContain('quotes');
  });
});

describe('a watch rule', () => {
  const owner = { group: 'g', version: 'v1', kind: 'Owner', plural: 'owners', namespaced: true };
  const thing = (name: string, metadata: object = {}, spec: object = {}): KubeObject & { spec: object } => ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { namespace: 'n', name, resourceVersion: JSON.stringify([metadata, spec]), ...metadata },
    spec,
  });
  const collect = (rule: WatchRule): string[] => {
    const keys: string[] = [];
    rule.subscribe((found, { initial }) => keys.push(...[...found].map((key) => `${key}${initial ? ' initial' : ''}`)));
    return keys;
  };

  test.for([
    { rule: 'a new generation', before: { generation: 1 }, after: { generation: 2 }, wakes: true },
    { rule: 'a label', before: { generation: 1 }, after: { generation: 1, labels: { a: 'b' } }, wakes: true },
    { rule: 'a deletion', before: { generation: 1 }, after: { generation: 1, deletionTimestamp: 'now' }, wakes: true },
    { rule: 'a status', before: { generation: 1 }, after: { generation: 1, resourceVersion: '9' }, wakes: false },
    { rule: 'anything of a Kind without generations', before: {}, after: { resourceVersion: '9' }, wakes: true },
  ])('for the object itself: $rule', ({ before, after, wakes }) => {
    const store = createStore<KubeObject>();
    store.put(thing('a', before), { initial: false });
    const keys = collect(onSelf(store));
    expect(keys.splice(0)).toEqual(['n/a initial']);
    store.put(thing('a', after), { initial: false });
    expect(keys.includes('n/a')).toBe(wakes);
  });

  test('for owned objects: names the controlling owner of that Kind, the former one too', () => {
    const store = createStore<KubeObject>();
    const keys = collect(onOwned(store, owner));
    const owned = (name: string, fields: object = {}) => ({
      ownerReferences: [{ apiVersion: 'g/v1', kind: 'Owner', name, uid: 'u', controller: true, ...fields }],
    });
    store.put(thing('a', owned('one')), { initial: true });
    store.put(thing('a', owned('two')), { initial: false });
    store.put(thing('b', owned('three', { controller: false })), { initial: false });
    store.put(thing('c', owned('four', { apiVersion: 'other/v1' })), { initial: false });
    store.remove('n/a');
    expect(keys).toEqual(['n/one initial', 'n/one', 'n/two', 'n/two']);
  });

  test('for references: names the objects that refer to what has changed', () => {
    const referring = createStore<KubeObject & { spec: object }, 'ref'>({
      indexes: { ref: ({ spec }) => Object.keys(spec) },
    });
    const store = createStore<KubeObject>();
    const keys = collect(onReferenced(store, referring, 'ref'));
    referring.put(thing('user', {}, { 'n/a': true }), { initial: false });
    store.put(thing('a'), { initial: false });
    store.put(thing('b'), { initial: false });
    expect(keys).toEqual(['n/user']);
  });
});

describe('a controller', () => {
  test('collects no keys before it runs, and starts with all objects', async () => {
    const store = createStore<KubeObject>();
    const put = (name: string): void =>
      store.put({ apiVersion: 'v1', kind: 'Thing', metadata: { name, resourceVersion: name } }, { initial: false });
    const queues: { readonly depth: number }[] = [];
    const stop = new AbortController();
    const seen: string[] = [];
    const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const controller = defineController<KubeObject>({
      name: 'thing',
      kind: { group: '', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false },
      store,
      watches: [onSelf(store)],
      client: { mergePatch: () => Promise.reject(new Error('boom')) },
      fieldManager: 'm',
      log: quiet,
      metrics: { observeQueue: (_, queue) => void queues.push(queue), reconciled: () => {} },
      reconcile: async ({ object }) => {
        seen.push(object.metadata.name);
        if (object.metadata.name === 'last') stop.abort();
        return undefined;
      },
    });
    put('a');
    controller.enqueue('a');
    expect(queues.map(({ depth }) => depth)).toEqual([0]);
    const ran = controller.run(stop.signal);
    put('b');
    put('last');
    await ran;
    expect(seen.toSorted()).toEqual(['a', 'b', 'last']);
    put('c');
    expect(queues.map(({ depth }) => depth)).toEqual([0]);
  });
});
