import { describe, expect, test } from 'vitest';
import { asSpanId, newSpanId, parseTraceparent, toSpanId, toTraceId, toTraceparent } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${PARENT}-01`;
const parsed = { traceId: TRACE, parentId: PARENT, sampled: true };

describe('traceparent', () => {
  test.for([
    { rule: 'is taken apart', value: traceparent, want: parsed },
    { rule: 'may have any version', value: `cc-${TRACE}-${PARENT}-00`, want: { ...parsed, sampled: false } },
    { rule: 'has further flags', value: `00-${TRACE}-${PARENT}-03`, want: parsed },
    { rule: 'needs four parts', value: `00-${TRACE}-${PARENT}`, want: undefined },
    { rule: 'needs exactly four', value: `${traceparent}-x`, want: undefined },
    { rule: 'needs a trace id', value: `00-${'0'.repeat(32)}-${PARENT}-01`, want: undefined },
    { rule: 'needs a parent', value: `00-${TRACE}-${'0'.repeat(16)}-01`, want: undefined },
    { rule: 'is lower-case hex', value: traceparent.toUpperCase(), want: undefined },
    { rule: 'may be absent', value: undefined, want: undefined },
  ])('$rule', ({ value, want }) => {
    expect(parseTraceparent(value)).toEqual(want);
  });

  test('is written as it is read', () => {
    expect(toTraceparent(TRACE, PARENT, true)).toBe(traceparent);
    expect(parseTraceparent(toTraceparent(TRACE, PARENT, false))).toEqual({ ...parsed, sampled: false });
  });
});

describe('an identifier', () => {
  test('is kept where it is valid, a UUID without its dashes', () => {
    expect(toTraceId(TRACE)).toBe(TRACE);
    expect(toTraceId('4BF92F35-77b3-4da6-a3ce-929d0e0e4736')).toBe(TRACE);
    expect(toSpanId(PARENT)).toBe(PARENT);
  });

  test('is made of any other text, the same for the same text', () => {
    expect(toTraceId('my-run')).toMatch(/^[0-9a-f]{32}$/);
    expect(toTraceId('my-run')).toBe(toTraceId('my-run'));
    expect(toTraceId('my-run')).not.toBe(toTraceId('my-run-2'));
    expect(toSpanId('0'.repeat(16))).toMatch(/[1-9a-f]/);
  });

  test('of a span is none where it is not 16 hex digits', () => {
    expect([PARENT, 'x', '0'.repeat(16), undefined].map(asSpanId)).toEqual([PARENT, undefined, undefined, undefined]);
    expect(asSpanId(newSpanId())).toBeDefined();
  });
});
