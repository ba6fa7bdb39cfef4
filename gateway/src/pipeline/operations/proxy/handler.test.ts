import { describe, expect, test } from 'vitest';
import type { UpstreamResponse } from '../../../upstream/index.ts';
import type { ServedCall } from '../handler.ts';
import { PROXY_HANDLER } from './handler.ts';

const NO_CALL = {} as ServedCall; // not looked at

const answered = (type: string | undefined): UpstreamResponse =>
  ({ status: 200, headers: type === undefined ? {} : { 'content-type': type } }) as unknown as UpstreamResponse; // no body is read

describe('an answer to a proxied call', () => {
  test.for([
    { type: 'text/event-stream; charset=utf-8', want: true },
    { type: 'application/x-ndjson', want: true },
    { type: 'application/vnd.amazon.eventstream', want: true },
    { type: 'application/json', want: false },
    { type: 'audio/mpeg', want: false },
    { type: undefined, want: false },
  ])('of type $type may last beyond its first event: $want', ({ type, want }) => {
    expect(PROXY_HANDLER.isEventStream(NO_CALL, answered(type))).toBe(want);
  });
});
