import { fakeRequest } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SpanIdentity } from './exchange.ts';
import { traceHeaders, traceOf } from './trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${PARENT}-01`;
const of = (headers: Record<string, string>) => traceOf(fakeRequest({ headers }));
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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

describe('the span of a request', () => {
  const rules = { sample: (_id: string, parent?: boolean) => parent ?? true, propagates: true };
  const sampled = (headers: Record<string, string>) => traceOf(fakeRequest({ headers }), rules);

  test('is not made without rules', () => {
    expect(of({ traceparent })).not.toHaveProperty('span');
  });

  test('is a child of the span of the client, with its decision and its state', () => {
    const { span, spanId } = sampled({ traceparent, tracestate: 'vendor=1' });
    expect(span).toEqual({
      traceId: TRACE,
      spanId,
      parentId: PARENT,
      sampled: true,
      propagates: true,
      state: 'vendor=1',
    });
    expect(sampled({ traceparent: `00-${TRACE}-${PARENT}-00` }).span?.sampled).toBe(false);
  });

  test('begins a trace where the client has none, which the log names as well', () => {
    const { traceId, span, spanId } = sampled({});
    expect(span).toEqual({
      traceId: traceId.replaceAll('-', ''),
      spanId,
      parentId: undefined,
      sampled: true,
      propagates: true,
      state: undefined,
    });
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  });

  test('is in a trace of the name that the client gives, the same for all its requests', () => {
    const [one, other] = [sampled({ 'x-gw-trace-id': 'my-run' }), sampled({ 'x-gw-trace-id': 'my-run' })];
    expect(one.traceId).toBe('my-run');
    expect(one.span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(other.span?.traceId).toBe(one.span?.traceId);
    expect(other.span?.spanId).not.toBe(one.span?.spanId);
  });

  test('has the ids of the client where they are some', () => {
    const own = { 'x-gw-trace-id': TRACE, 'x-gw-span-id': 'a'.repeat(16), 'x-gw-parent-span-id': PARENT };
    expect(sampled(own).span).toMatchObject({ traceId: TRACE, spanId: 'a'.repeat(16), parentId: PARENT });
    expect(sampled({ ...own, 'x-gw-span-id': PARENT }).span?.spanId).not.toBe(PARENT);
    expect(sampled({ ...own, 'x-gw-span-id': 'mine', 'x-gw-parent-span-id': 'none' })).toMatchObject({
      spanId: 'mine',
      span: { spanId: expect.stringMatching(/^[0-9a-f]{16}$/), parentId: undefined },
    });
  });

  test.for([
    { rule: 'without traceparent', headers: { tracestate: 'a=1' } },
    { rule: 'that is no header value', headers: { traceparent, tracestate: 'a\u0001' } },
    { rule: 'that is too long', headers: { traceparent, tracestate: 'a'.repeat(513) } },
  ])('takes no state $rule', ({ headers }) => {
    expect(sampled(headers).span?.state).toBeUndefined();
  });

  test('is named to providers', () => {
    const span = { ...sampled({ traceparent, tracestate: 'a=1' }).span, sampled: false } as SpanIdentity; // it was made
    expect(traceHeaders(span, 'c'.repeat(16))).toEqual({
      traceparent: `00-${TRACE}-${'c'.repeat(16)}-00`,
      tracestate: 'a=1',
    });
    expect(traceHeaders({ ...span, state: undefined }, 'c'.repeat(16))).not.toHaveProperty('tracestate');
  });
});
