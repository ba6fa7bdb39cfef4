import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitMessages, fitParts } from './fit.ts';
import type { Message } from './parts.ts';

const said = (content: string, role = 'user'): Message => ({ role, parts: [{ type: 'text', content }] });
const all = ['one', 'two', 'three'].map((content) => said(content));
const long = 'x'.repeat(1_000);
const parsed = (json: string | undefined): unknown => (json === undefined ? undefined : JSON.parse(json));

describe('messages with a bound', () => {
  test('are all there where they fit', () => {
    expect(parsed(fitMessages(all, JSON.stringify(all).length, 'last'))).toEqual(all);
  });

  test.for([
    { keep: 'last', want: all.slice(1) },
    { keep: 'first', want: all.slice(0, 2) },
  ] as const)('are left out where they do not, but for the $keep ones', ({ keep, want }) => {
    expect(parsed(fitMessages(all, JSON.stringify(all).length - 1, keep))).toEqual(want);
  });

  test('have a cut text where not even one fits', () => {
    const [message] = parsed(fitMessages([said('first'), said('"x"\n'.repeat(1_000))], 500, 'last')) as Message[];
    expect(message).toEqual({ role: 'user', parts: [{ type: 'text', content: expect.stringMatching(/^("x"\n)+/) }] });
  });

  test('keep the parts that fit', () => {
    const message = {
      role: 'user',
      parts: [
        { type: 'text', content: 'a' },
        { type: 'text', content: 'b'.repeat(900) },
      ],
    } as const;
    expect(parsed(fitMessages([message], 200, 'last'))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'a' }] },
    ]);
  });

  test('are none where there is no room, or nothing', () => {
    expect(fitMessages(all, 20, 'last')).toBeUndefined();
    expect(fitMessages([], 100, 'last')).toBeUndefined();
    expect(fitParts([{ type: 'text', content: 'x'.repeat(100) }], 20)).toBeUndefined();
  });

  test.for([
    {
      given: { type: 'tool_call', id: 'c', name: 'f', arguments: long },
      want: { type: 'tool_call', id: 'c', name: 'f' },
    },
    {
      given: { type: 'tool_call_response', id: 'c', response: long },
      want: { type: 'tool_call_response', id: 'c', response: expect.stringMatching(/^x+$/) },
    },
    {
      given: { type: 'tool_call_response', id: 'c', response: [{ type: 'text', content: long }] },
      want: { type: 'tool_call_response', id: 'c', response: '' },
    },
  ] as const)('say that there was a $given.type where it does not fit', ({ given, want }) => {
    expect(parsed(fitParts([given], 200))).toEqual([want]);
  });

  test('are JSON within the bound, whatever they say', () => {
    const unit = fc.constantFrom('a', '"', '\\', '\n', '\0', 'é', '🙂', '\ud800');
    const part = fc.oneof(
      fc.record({ type: fc.constant('text' as const), content: fc.string({ unit, maxLength: 100 }) }),
      fc.record({ type: fc.constant('tool_call' as const), name: fc.string(), arguments: fc.string() }),
    );
    const message = fc.record({ role: fc.string({ maxLength: 20 }), parts: fc.array(part, { maxLength: 4 }) });
    const keep = fc.constantFrom('first' as const, 'last' as const);
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 4 }),
        fc.integer({ min: 1, max: 300 }),
        keep,
        (messages, limit, from) => {
          const json = fitMessages(messages, limit, from);
          if (json === undefined) return;
          expect(json.length).toBeLessThanOrEqual(limit);
          expect(Array.isArray(JSON.parse(json))).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });
});
