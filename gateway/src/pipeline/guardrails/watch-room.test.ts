import { describe, expect, test } from 'vitest';
import { type WatchOwner, WatchRoom } from './watch-room.ts';

const byRequest = (workspace: string): WatchOwner => ({ workspace, chosenBy: 'request' });
const byResource = (workspace: string): WatchOwner => ({ workspace, chosenBy: 'resource' });
const taken = (room: WatchRoom, owner: WatchOwner, tries = 20): number =>
  Array.from({ length: tries }, () => room.take(owner)).filter(Boolean).length;

describe('places for hooks after the answer', () => {
  test('of a workspace are its share, so that others have some left', () => {
    const room = new WatchRoom({ process: 8, workspace: 4 });
    expect([taken(room, byResource('a')), taken(room, byResource('b')), taken(room, byResource('c'))]).toEqual([
      4, 4, 0,
    ]);
  });

  test('are left for guardrails of resources, whatever the configs of requests choose', () => {
    const room = new WatchRoom({ process: 8, workspace: 4 });
    expect(['a', 'b', 'c'].map((name) => taken(room, byRequest(name)))).toEqual([2, 2, 0]);
    expect(['a', 'b', 'c'].map((name) => taken(room, byResource(name)))).toEqual([2, 2, 0]);
  });

  test('may be taken again when they are given back', () => {
    const room = new WatchRoom({ process: 4, workspace: 2 });
    expect([taken(room, byRequest('a')), taken(room, byResource('a'))]).toEqual([1, 1]);
    room.give(byRequest('a'));
    expect([taken(room, byRequest('a')), taken(room, byResource('a'))]).toEqual([1, 0]);
    room.give(byResource('a'));
    expect([taken(room, byRequest('a')), taken(room, byResource('a'))]).toEqual([0, 1]);
  });
});
