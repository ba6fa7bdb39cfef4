import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { parseFrame, SCHEMA_VERSION } from '@gatehouse/crds/snapshot';
import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { KubeClient } from '../runtime/index.ts';
import { createTestClock } from '../runtime/time/testing.ts';
import { EMPTY_SNAPSHOT, type SidecarSnapshot } from '../translate/index.ts';
import { openStream } from './stream.ts';
import { EMPTY_STREAM_LIMITS, hasRoom } from './stream-limits.ts';
import { createTokens } from './tokens.ts';

const snapshot = (version: number): SidecarSnapshot => ({ schemaVersion: SCHEMA_VERSION, version, entries: [] });
const caller = { namespace: 'a', account: 'app' };

/** The side of an answer that a stream sees; `stop` makes the reader stop reading. */
function startAnswer() {
  const lines: string[] = [];
  const ended: string[] = [];
  const answer = Object.assign(new EventEmitter(), {
    writableNeedDrain: false,
    writeHead: () => answer,
    write: (bytes: Buffer | string) => {
      lines.push(String(bytes).trim());
      return true;
    },
    end: () => ended.push('ended'),
    destroy: () => ended.push('destroyed'),
  });
  const open = (have?: number, first = snapshot(1)) =>
    openStream(answer as unknown as ServerResponse, { caller, have, snapshot: first }); // what a stream uses of it
  const received = (): readonly (number | 'ping')[] =>
    lines.map((line) => unwrap(parseFrame(line))).map((frame) => (frame.kind === 'snapshot' ? frame.version : 'ping'));
  return { answer, open, received, ended };
}

describe('a stream', () => {
  test.for([
    { rule: 'begins with the whole Snapshot', have: undefined, want: [1] },
    { rule: 'begins with it for one who has another', have: 5, want: [1] },
    { rule: 'begins with a ping for one who has it', have: 1, want: ['ping'] },
  ])('$rule', ({ have, want }) => {
    const { open, received } = startAnswer();
    open(have).offer(snapshot(1));
    expect(received()).toEqual(want);
  });

  test('sends a version once', () => {
    const { open, received } = startAnswer();
    const stream = open();
    for (const version of [1, 2, 2]) stream.offer(snapshot(version));
    expect(received()).toEqual([1, 2]);
  });

  test('keeps only the newest Snapshot for a slow reader', () => {
    const { answer, open, received } = startAnswer();
    const stream = open();
    answer.writableNeedDrain = true;
    for (const version of [2, 3, 4]) stream.offer(snapshot(version));
    expect(received()).toEqual([1]);
    answer.writableNeedDrain = false;
    answer.emit('drain');
    expect(received()).toEqual([1, 4]);
    answer.writableNeedDrain = true;
    for (const version of [5, 4]) stream.offer(snapshot(version));
    answer.emit('drain');
    expect(received()).toEqual([1, 4]);
  });

  test('gives up a reader that has not read between two pings', () => {
    const { answer, open, received, ended } = startAnswer();
    const stream = open();
    stream.ping();
    expect(received()).toEqual([1, 'ping']);
    answer.writableNeedDrain = true;
    stream.ping();
    expect(ended).toEqual([]);
    stream.ping();
    expect(ended).toEqual(['destroyed']);
  });
});

describe('room for one more stream', () => {
  const limits = { inAll: 4, perNamespace: 2 };
  const { inAll, perNamespace } = EMPTY_STREAM_LIMITS;
  const places = (namespaces: readonly string[], startedEmpty = false) =>
    namespaces.map((namespace) => ({ caller: { namespace, account: 'app' }, startedEmpty }));
  const allEmpty = Array.from({ length: inAll }, (_, i) => `empty-${Math.floor(i / perNamespace)}`);
  const startedEmpty = true;
  test.for([
    { rule: 'is there', streams: places(['a', 'b', 'b']), want: true },
    { rule: 'ends with a namespace that has its share', streams: places(['a', 'a']), want: false },
    { rule: 'ends with a replica that is full', streams: places(['b', 'b', 'c', 'c']), want: false },
    { rule: 'is not taken by streams that started empty', streams: places([...allEmpty, 'a', 'a'], true), want: true },
    {
      rule: 'is there for a stream that starts empty',
      startedEmpty,
      streams: places(allEmpty.slice(1), true),
      want: true,
    },
    {
      rule: 'is there for a stream that starts empty in a full replica',
      startedEmpty,
      streams: places(['a', 'a', 'b', 'b']),
      want: true,
    },
    {
      rule: 'ends for a namespace with many streams that started empty',
      startedEmpty,
      streams: places(new Array(perNamespace).fill('a'), true),
      want: false,
    },
    {
      rule: 'ends for empty starts when a replica has many of them',
      startedEmpty,
      streams: places(allEmpty, true),
      want: false,
    },
  ])('$rule', ({ streams, want, startedEmpty: nothing = false }) => {
    expect(hasRoom(streams, { caller, startedEmpty: nothing }, limits)).toBe(want);
  });

  test.for([
    { rule: 'nothing', first: EMPTY_SNAPSHOT, want: true },
    { rule: 'something', first: snapshot(1), want: false },
  ])('counts a stream by its beginning, which was $rule', ({ first, want }) => {
    const stream = startAnswer().open(undefined, first);
    stream.offer(snapshot(2));
    expect(stream.startedEmpty).toBe(want);
  });
});

describe('a token', () => {
  const user = { username: 'system:serviceaccount:a:app' };
  const good = { authenticated: true, audiences: ['gatehouse-snapshot'], user };
  const { signal } = new AbortController();
  const NOBODY = { kind: 'nobody' };
  const CALLER = { kind: 'caller', caller };

  function start(status: object) {
    const clock = createTestClock();
    let asked = 0;
    const create = async () => {
      asked += 1;
      return { status };
    };
    const client = { create } as unknown as Pick<KubeClient, 'create'>; // one verb of it
    const tokens = createTokens({
      ...{ client, audience: 'gatehouse-snapshot', clock },
      admits: ({ namespace }) => namespace === 'a',
    });
    const token = (claims: object = {}): string => {
      const exp = clock.wallMs() / 1_000 + 3_600;
      const payload = { sub: user.username, aud: ['gatehouse-snapshot'], exp, ...claims };
      return ['{}', JSON.stringify(payload), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');
    };
    const identify = (text: string, source = '10.0.0.1') => tokens.identify(text, source, signal);
    return { clock, identify, token, asked: () => asked };
  }

  test.for([
    { rule: 'of a ServiceAccount', status: good, want: CALLER },
    { rule: 'that is not good', status: { ...good, authenticated: false }, want: NOBODY },
    { rule: 'for another audience', status: { ...good, audiences: ['other'] }, want: NOBODY },
    { rule: 'for no audience in particular', status: { authenticated: true, user }, want: NOBODY },
    { rule: 'of a person', status: { ...good, user: { username: 'alice' } }, want: NOBODY },
    { rule: 'without an answer', status: {}, want: NOBODY },
  ])('$rule', async ({ status, want }) => {
    const { identify, token } = start(status);
    expect(await identify(token())).toEqual(want);
  });

  test('is reviewed at intervals, and once at a time', async () => {
    const { clock, identify, token, asked } = start(good);
    await Promise.all([identify(token()), identify(token())]);
    await identify(token());
    expect(asked()).toBe(1);
    await identify(token({ jti: 'other' }));
    clock.advance(31_000);
    await identify(token());
    expect(asked()).toBe(3);
  });

  test.for([
    { rule: 'is none', text: 'garbage' },
    { rule: 'is none in three parts', text: 'a.b.c' },
    { rule: 'is too long for one', text: `${'x'.repeat(20_000)}.${'x'.repeat(20)}.x` },
    { rule: 'is for another audience', claims: { aud: ['kubernetes'] } },
    { rule: 'has expired', claims: { exp: 1 } },
    { rule: 'is not valid yet', claims: { nbf: 99_999_999_999 } },
    { rule: 'is of a person', claims: { sub: 'alice' } },
    { rule: 'is of a namespace that has not opted in', claims: { sub: 'system:serviceaccount:b:app' } },
  ])('that $rule is refused without a review', async ({ text, claims }) => {
    const { identify, token, asked } = start(good);
    expect(await identify(text ?? token(claims))).toEqual(NOBODY);
    expect(asked()).toBe(0);
  });

  test('counts for the rate limit of its source, and other sources go on', async () => {
    const { clock, identify, token, asked } = start({});
    const outcomes = await Promise.all(Array.from({ length: 5_000 }, (_, i) => identify(token({ jti: `${i}` }))));
    const most = asked();
    expect(most).toBeLessThan(100);
    expect(outcomes.filter(({ kind }) => kind === 'busy')).toHaveLength(5_000 - most);
    expect(await identify(token({ jti: 'else' }), '10.0.0.2')).toEqual(NOBODY);
    clock.advance(1_000);
    expect((await identify(token({ jti: 'later' }))).kind).toBe('nobody');
  });

  test('counts for the total rate limit, from whatever address', async () => {
    const { identify, token, asked } = start({});
    const all = Array.from({ length: 5_000 }, (_, i) => identify(token({ jti: `${i}` }), `10.0.${i >> 8}.${i & 255}`));
    await Promise.all(all);
    expect(asked()).toBeLessThanOrEqual(500);
  });

  test('that was accepted stays cached however many are made up', async () => {
    const { clock, identify, token, asked } = start(good);
    const mine = token({ jti: 'mine' });
    await identify(mine);
    const before = asked();
    clock.advance(1_000);
    await identify(mine, '10.9.9.9');
    expect(asked()).toBe(before);
  });
});
