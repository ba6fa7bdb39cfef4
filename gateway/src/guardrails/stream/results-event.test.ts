import { expect, test } from 'vitest';
import { resultsEvent } from './results-event.ts';
import type { PROTOCOLS } from './testing.ts';

test('results of hooks are an event like others of their stream', () => {
  const event = (protocol: (typeof PROTOCOLS)[number]): string =>
    resultsEvent(protocol, { after_request_hooks: [{ id: 'a' }] }).toString();
  const data = { hook_results: { after_request_hooks: [{ id: 'a' }] } };
  for (const protocol of ['chat', 'completion'] as const) {
    expect(event(protocol)).toBe(`data: ${JSON.stringify(data)}\n\n`);
  }
  for (const protocol of ['messages', 'responses'] as const) {
    expect(event(protocol)).toBe(`event: hook_results\ndata: ${JSON.stringify({ type: 'hook_results', ...data })}\n\n`);
  }
});
