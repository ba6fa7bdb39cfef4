import { describe, expect, test } from 'vitest';
import { lazyObject } from '../../lib/json/index.ts';
import type { JsonObject } from '../contract.ts';
import { sampleCall } from '../engine/testing.ts';
import { mergeClamp } from './bounds.ts';
import { editMessages, foldDeveloper, withoutMembers } from './messages.ts';

const edit = editMessages(foldDeveloper, withoutMembers('content_blocks', 'name'));
const run = (params: Readonly<Record<string, unknown>>): unknown => edit(params, sampleCall());

describe('editing messages', () => {
  test('folds the newer role and leaves members out, each message alone', () => {
    const user = { role: 'user', content: 'Hi' };
    const before = { messages: [{ role: 'developer', name: 'a', content: 'x' }, user], model: 'm' };
    const copy = structuredClone(before);
    const after = run(before) as { messages: unknown[] };
    expect(after).toEqual({ messages: [{ role: 'system', content: 'x' }, user], model: 'm' });
    expect(after.messages[1]).toBe(user);
    expect(before).toEqual(copy);
  });

  test.for([[{ messages: [{ role: 'system', content: 'x' }, null, 'odd'] }], [{ messages: 'x' }], [{ prompt: 'x' }]])(
    'gives the same body back when there is nothing to change: %j',
    ([params]) => {
      expect(run(params ?? {})).toBe(params);
    },
  );
});

describe('a large list of messages', () => {
  const filler = 'x'.repeat(10_000);
  const unread = (message: string): JsonObject => {
    const messages = Buffer.from(`[{"role":"user","content":"${filler}"},${message}]`);
    const reading = { broken: () => new Error('read'), nameKind: 'unknown' } as const;
    return lazyObject(messages, [{ name: 'messages', start: 0, end: messages.length }], reading);
  };

  test('is not parsed without a sign of an edit', () => {
    const params = unread('{"role":tru}');
    expect(run(params)).toBe(params);
  });

  test('is edited where there is one, however it is written', () => {
    const system = { messages: [{ role: 'user', content: filler }, { role: 'system' }] };
    expect(run(unread('{"role":"developer"}'))).toEqual(system);
    expect(run(unread('{"role":"\\u0064eveloper","name":"a"}'))).toEqual(system);
  });
});

test('the bounds of a row change, add to and take from the base', () => {
  const base = { a: { min: 0 }, b: { max: 1 }, c: { min: 2 } };
  expect(mergeClamp(base, { a: { min: 1 }, b: 'none', d: { max: 9 } })).toEqual({
    a: { min: 1 },
    c: { min: 2 },
    d: { max: 9 },
  });
  expect(base).toEqual({ a: { min: 0 }, b: { max: 1 }, c: { min: 2 } });
});
