import { describe, expect, test } from 'vitest';
import type { ResponseHold } from '../pipeline/index.ts';
import { ResponseHolds } from './response-holds.ts';

interface Held extends ResponseHold {
  became: 'held' | 'settled' | 'kept' | 'released';
}

function hold(): Held {
  const held: Held = {
    became: 'held',
    settle: () => {
      held.became = 'settled';
    },
    keep: () => {
      held.became = 'kept';
    },
    release: () => {
      held.became = 'released';
    },
  };
  return held;
}

const SPENT = { status: 200, usage: undefined, cost: undefined };

/** `later`: each hold is there when the test says so. */
function holdsOf({ later = false, room = 10 } = {}) {
  const taken: Held[] = [];
  const waiting: { give(): void; deny(): void }[] = [];
  const denied: unknown[] = [];
  const first = hold();
  taken.push(first);
  const take = () => {
    if (taken.length >= room) throw new Error('no room');
    const next = hold();
    if (!later) {
      taken.push(next);
      return next;
    }
    return new Promise<Held>((resolve, reject) => {
      waiting.push({
        give: () => {
          taken.push(next);
          resolve(next);
        },
        deny: () => reject(new Error('no room')),
      });
    });
  };
  const holds = new ResponseHolds({ first, take, onDenied: (error) => denied.push(error) });
  const finish = () => holds.done((given) => given?.settle(SPENT));
  return { holds, taken, waiting, denied, finish, became: () => taken.map(({ became }) => became) };
}

describe('the room of a session', () => {
  test('is taken for one response after the other', () => {
    const { holds, finish, became } = holdsOf();
    for (let i = 0; i < 2; i += 1) {
      holds.begin();
      finish();
    }
    holds.end();
    expect(became()).toEqual(['settled', 'settled', 'released']);
  });

  test('is taken for each of those at the same time, and kept for those that are cut', () => {
    const { holds, finish, became } = holdsOf();
    for (let i = 0; i < 3; i += 1) holds.begin();
    expect(became()).toEqual(['held', 'held', 'held']);
    finish();
    holds.end();
    expect(became()).toEqual(['settled', 'kept', 'kept']);
  });

  test('is that of one request where there was no response', () => {
    const { holds, became } = holdsOf();
    holds.end();
    holds.end();
    expect(became()).toEqual(['settled']);
  });

  test('ends the session where there is none', () => {
    const { holds, denied, finish } = holdsOf({ room: 2 });
    holds.begin();
    holds.begin();
    expect(denied).toEqual([]);
    holds.begin();
    expect(denied).toHaveLength(1);
    finish();
  });

  test('is not asked for where nothing limits the session', () => {
    const holds = new ResponseHolds({
      first: undefined,
      take: () => expect.unreachable('nothing is taken'),
      onDenied: () => expect.unreachable('nothing is denied'),
    });
    holds.begin();
    const given: unknown[] = [];
    holds.done((one) => given.push(one));
    holds.end();
    expect(given).toEqual([undefined]);
  });
});

describe('room that comes late', () => {
  test('settles every response that has finished meanwhile, in order', async () => {
    const { holds, waiting, finish, became } = holdsOf({ later: true });
    for (let i = 0; i < 3; i += 1) holds.begin();
    for (let i = 0; i < 3; i += 1) finish();
    expect(waiting).toHaveLength(3);
    for (const one of waiting) one.give();
    await Promise.resolve();
    expect(became()).toEqual(['settled', 'settled', 'settled', 'held']);
  });

  test('settles what had finished before the session was over, and gives back the rest', async () => {
    const { holds, waiting, finish, became } = holdsOf({ later: true });
    holds.begin();
    finish();
    holds.begin();
    finish();
    holds.end();
    for (const one of waiting) one.give();
    await Promise.resolve();
    expect(became()).toEqual(['settled', 'settled', 'released']);
  });

  test('is kept for a response that was cut meanwhile', async () => {
    const { holds, waiting, became } = holdsOf({ later: true });
    holds.begin();
    holds.begin();
    holds.end();
    for (const one of waiting) one.give();
    await Promise.resolve();
    expect(became()).toEqual(['kept', 'kept']);
  });

  test('is denied once, and the finished response has a record all the same', async () => {
    const { holds, waiting, denied } = holdsOf({ later: true });
    const given: unknown[] = [];
    holds.begin();
    holds.done((one) => given.push(one));
    holds.begin();
    holds.done((one) => given.push(one));
    waiting[0]?.deny();
    await Promise.resolve();
    await Promise.resolve();
    expect([given.length, denied.length]).toEqual([2, 1]);
  });
});
