import { describe, expect, test } from 'vitest';
import { createOpenAiChatDecoder } from '../../wire/openai/index.ts';
import type { Call, Endpoint, StreamRule } from '../contract.ts';
import { openStream } from './stream.ts';
import { sampleCall, sampleProvider } from './testing.ts';

const tag: StreamRule = { kind: 'tag', open: (call) => createOpenAiChatDecoder(call) };
const lines: StreamRule = { kind: 'decode', framing: 'json-lines', open: (call) => createOpenAiChatDecoder(call) };

const open = (stream: StreamRule | undefined, call: Partial<Call>, items: boolean): string | undefined => {
  const endpoint: Endpoint = { method: 'POST', path: '/', request: { kind: 'none' }, answer: { kind: 'relay' } };
  const opened = openStream(
    sampleProvider(),
    stream === undefined ? endpoint : { ...endpoint, stream },
    sampleCall({ stream: true, ...call }),
    { items },
  );
  if (opened?.kind === 'decode') return opened.framing;
  return opened?.relay.end().toString();
};

const DONE = 'data: [DONE]\n\n';

describe('a stream', () => {
  test.for<
    [rule: string, stream: StreamRule | undefined, call: Partial<Call>, items: boolean, want: string | undefined]
  >([
    ['is relayed and ended', { kind: 'relay' }, {}, false, DONE],
    ['is decoded when items are needed', { kind: 'relay' }, {}, true, 'sse'],
    ['of text completions is decoded too', { kind: 'relay' }, { endpoint: 'complete' }, true, 'sse'],
    ['of messages is relayed all the same, without our end', { kind: 'relay' }, { endpoint: 'messages' }, true, ''],
    ['is tagged', tag, {}, false, DONE],
    ['is decoded for clients that are not strict', tag, { strict: false }, false, 'sse'],
    ['is decoded in its own framing', lines, {}, false, 'json-lines'],
    ['is not there', undefined, {}, false, undefined],
  ])('%s', ([, stream, call, items, want]) => {
    expect(open(stream, call, items)).toBe(want);
  });

  test('gains the provider on every chunk', () => {
    const opened = openStream(
      sampleProvider({ id: 'groq' }),
      { method: 'POST', path: '/', request: { kind: 'none' }, answer: { kind: 'relay' }, stream: tag },
      sampleCall(),
      { items: false },
    );
    if (opened?.kind !== 'relay') throw new Error('decoded');
    expect(opened.relay.push(Buffer.from('data: {"a":1}\n\n')).toString()).toBe('data: {"a":1,"provider":"groq"}\n\n');
  });
});
