import { fakeRequest } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTraceparent, traceOf } from './trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${PARENT}-01`;
const of = (headers: Record<string, string>) => traceOf(fakeRequest({ headers }));
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('traceparent', () => {
  test.for([
    { rule: 'is taken apart', value: traceparent, want: { traceId: TRACE, parentId: PARENT } },
    { rule: 'may have any version', value: `cc-${TRACE}-${PARENT}-00`, want: { traceId: TRACE, parentId: PARENT } },
    { rule: 'needs four parts', value: `00-${TRACE}-${PARENT}`, want: undefined },
    { rule: 'needs exactly four', value: `${traceparent}-x`, want: undefined },
    { rule: 'needs a trace id', value: `00-${'0'.repeat(32)}-${PARENT}-01`, want: undefined },
    { rule: 'needs a parent', value: `00-${TRACE}-${'0'.repeat(16)}-01`, want: undefined },
    { rule: 'is lower-case hex', value: traceparent.toUpperCase(), want: undefined },
    { rule: 'may be absent', value: undefined, want: undefined },
  ])('$rule', ({ value, want }) => {
    expect(parseTraceparent(value)).toEqual(want);
  });
});

describe('the trace of a request', () => {
  test('is made when there is none', () => {
    expect(of({})).toEqual({
      traceId: expect.stringMatching(UUID),
      spanId: undefined,
      parentSpanId: undefined,
      spanName: undefined,
    });
    expect(of({}).traceId).not.toBe(of({}).traceId);
  });

  test('is filled from traceparent', () => {
    expect(of({ traceparent })).toEqual({
      traceId: TRACE,
      parentSpanId: PARENT,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      spanName: 'POST /v1/chat/completions',
    });
  });

  test('keeps what the client says itself', () => {
    const own = {
      'x-gw-trace-id': 't',
      'x-gw-span-id': 's',
      'x-gw-parent-span-id': 'p',
      'x-gw-span-name': 'n',
    };
    expect(of({ ...own, traceparent })).toEqual({ traceId: 't', spanId: 's', parentSpanId: 'p', spanName: 'n' });
  });

  test.for(['', ' ', 'a\u00e9', 'a\tb', 'x'.repeat(257), ' padded '])('does not echo %j', (id) => {
    expect(of({ 'x-gw-trace-id': id }).traceId).toMatch(UUID);
  });

  test('always has an id that is a valid header value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), fc.string(), (id, parent) => {
        expect(of({ 'x-gw-trace-id': id, traceparent: parent }).traceId).toMatch(/^[\x21-\x7e][\x20-\x7e]*$/);
      }),
    );
  });
});
