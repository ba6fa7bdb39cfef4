import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { parseFrame, SCHEMA_VERSION } from '@gatehouse/crds/snapshot';
import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { KubeClient } from '../runtime/index.ts';
import { createTestClock } from '../runtime/time/testing.ts';
import { NOTHING_TOLD, type SidecarSnapshot } from '../translate/index.ts';
import { hasRoom, TOLD_NOTHING_LIMITS } from './room.ts';
import { openStream } from './stream.ts';
import { createTokens } from './tokens.ts';

const snapshot = (version: number): SidecarSnapshot => ({ schemaVersion: SCHEMA_VERSION, version, entries: [] });
const caller = { namespace: 'a' };

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
  const told = (): readonly (number | 'ping')[] =>
    lines.map((line) => unwrap(parseFrame(line))).map((frame) => (frame.kind === 'snapshot' ? frame.version : 'ping'));
  return { answer, open, told, ended };
}

describe('a stream', () => {
  test.for([
    { rule: 'begins with the whole Snapshot', have: undefined, want: [1] },
    { rule: 'begins with it for one who has another', have: 5, want: [1] },
    { rule: 'begins with a ping for one who has it', have: 1, want: ['ping'] },
  ])('$rule', ({ have, want }) => {
    const { open, told } = startAnswer();
    open(have).offer(snapshot(1));
    expect(told()).toEqual(want);
  });

  test('sends a version once', () => {
    const { open, told } = startAnswer();
    const stream = open();
    for (const version of [1, 2, 2]) stream.offer(snapshot(version));
    expect(told()).toEqual([1, 2]);
  });

  test('keeps only the newest for a slow reader, and nothing that has become old news', () => {
    const { answer, open, told } = startAnswer();
    const stream = open();
    answer.writableNeedDrain = true;
    for (const version of [2, 3, 4]) stream.offer(snapshot(version));
    expect(told()).toEqual([1]);
    answer.writableNeedDrain = false;
    answer.emit('drain');
    expect(told()).toEqual([1, 4]);
    answer.writableNeedDrain = true;
    for (const version of [5, 4]) stream.offer(snapshot(version));
    answer.emit('drain');
    expect(told()).toEqual([1, 4]);
  });

  test('gives up a reader that has not read between two pings', () => {
    const { answer, open, told, ended } = startAnswer();
    const stream = open();
    stream.ping();
    expect(told()).toEqual([1, 'ping']);
    answer.writableNeedDrain = true;
    stream.ping();
    expect(ended).toEqual([]);
    stream.ping();
    expect(ended).toEqual(['destroyed']);
  });
});

describe('room for one more stream', () => {
  const limits = { inAll: 4, perNamespace: 2 };
  const { inAll, perNamespace } = TOLD_NOTHING_LIMITS;
  const places = (namespaces: readonly string[], toldNothing = false) =>
    namespaces.map((namespace) => ({ caller: { namespace }, toldNothing }));
  const nobodies = Array.from({ length: inAll }, (_, i) => `nobody-${Math.floor(i / perNamespace)}`);
  const toldNothing = true;
  test.for([
    { rule: 'is there', streams: places(['a', 'b', 'b']), want: true },
    { rule: 'ends with a namespace that has its share', streams: places(['a', 'a']), want: false },
    { rule: 'ends with a replica that is full', streams: places(['b', 'b', 'c', 'c']), want: false },
    { rule: 'is not taken by those who are told nothing', streams: places([...nobodies, 'a', 'a'], true), want: true },
    { rule: 'is there for who is told nothing', toldNothing, streams: places(nobodies.slice(1), true), want: true },
    { rule: 'is theirs even in a full replica', toldNothing, streams: places(['a', 'a', 'b', 'b']), want: true },
    {
      rule: 'ends for a namespace with many who are told nothing',
      toldNothing,
      streams: places(new Array(perNamespace).fill('a'), true),
      want: false,
    },
    { rule: 'ends with many who are told nothing', toldNothing, streams: places(nobodies, true), want: false },
  ])('$rule', ({ streams, want, toldNothing: nothing = false }) => {
    expect(hasRoom(streams, { caller, toldNothing: nothing }, limits)).toBe(want);
  });

  test.for([
    { rule: 'nothing', first: NOTHING_TOLD, want: true },
    { rule: 'something', first: snapshot(1), want: false },
  ])('counts a stream by its beginning, which was $rule', ({ first, want }) => {
    const stream = startAnswer().open(undefined, first);
    stream.offer(snapshot(2));
    expect(stream.toldNothing).toBe(want);
  });
});

describe('a token', () => {
  const user = { username: 'system:serviceaccount:a:app' };
  const good = { authenticated: true, audiences: ['gatehouse-snapshot'], user };
  const { signal } = new AbortController();

  function start(status: object) {
    const clock = createTestClock();
    let asked = 0;
    const create = async () => {
      asked += 1;
      return { status };
    };
    const tokens = createTokens({ client: { create } as unknown as Pick<KubeClient, 'create'>, clock }); // one verb of it
    return { clock, callerOf: (token: string) => tokens.callerOf(token, signal), asked: () => asked };
  }

  test.for([
    { rule: 'of a ServiceAccount', status: good, want: caller },
    { rule: 'that is not good', status: { ...good, authenticated: false }, want: undefined },
    { rule: 'for another audience', status: { ...good, audiences: ['other'] }, want: undefined },
    { rule: 'for no audience in particular', status: { authenticated: true, user }, want: undefined },
    { rule: 'of a person', status: { ...good, user: { username: 'alice' } }, want: undefined },
    { rule: 'without an answer', status: {}, want: undefined },
  ])('$rule', async ({ status, want }) => {
    expect(await start(status).callerOf('t')).toEqual(want);
  });

  test('is asked about once in a while', async () => {
    const { clock, callerOf, asked } = start(good);
    await callerOf('t');
    await callerOf('t');
    expect(asked()).toBe(1);
    await callerOf('u');
    clock.advance(31_000);
    await callerOf('t');
    expect(asked()).toBe(3);
  });

  test('that is too long for one is not asked about', async () => {
    const { callerOf, asked } = start(good);
    expect(await callerOf('x'.repeat(20_000))).toBeUndefined();
    expect(asked()).toBe(0);
  });
});
