/** Events that arrived in one read with a broken one were lost with it: what a client got depended on how the network cut the bytes. */
import { expect, test } from 'vitest';
import type { StreamDecoder } from '../../gateway/src/wire/contract.ts';
import { encodeEventStreamMessage } from '../../gateway/src/wire/eventstream/index.ts';
import { createFrameReader, type Framing } from '../../gateway/src/wire/framing/index.ts';
import { createDecodeTransform, createEncoder } from '../../gateway/src/wire/transform/index.ts';

const ECHO: StreamDecoder = {
  push: ({ data }) => (data.startsWith('{"cut') ? [] : [{ kind: 'chunk', data: JSON.parse(data) as object }]),
  end: () => [],
};

const transformOf = (framing: Framing) =>
  createDecodeTransform({
    reader: createFrameReader(framing),
    decoder: ECHO,
    encoder: createEncoder('chat', { provider: 'p', includeUsage: false }),
  });

const good = encodeEventStreamMessage({ event: 'delta', payload: { text: 'one' } });
const changed = Buffer.from(good);
changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;

const STREAMS: readonly [framing: Framing, bytes: Buffer][] = [
  ['sse', Buffer.from('data: {"text":"one"}\n\ndata: {"cut":"\n\ndata: {"text":"two"}\n\n')],
  ['sse-lines', Buffer.from('data: {"text":"one"}\ndata: {"cut":"\ndata: {"text":"two"}\n')],
  ['json-lines', Buffer.from('{"text":"one"}\n{"cut":"\n{"text":"two"}\n')],
  ['aws-eventstream', Buffer.concat([good, changed, good])],
];

test.for(STREAMS)(
  '%s: what came before a broken event is given first, and nothing that came behind it',
  ([framing, bytes]) => {
    const transform = transformOf(framing);
    expect(String(transform.push(bytes))).toBe('data: {"text":"one"}\n\n');
    expect(transform.broken).toMatchObject({ code: 'UPSTREAM_STREAM_BROKEN' });
  },
);

test.for(STREAMS)('%s: cut anywhere, the events are the same', ([framing, bytes]) => {
  for (let at = 0; at <= bytes.length; at += 1) {
    const transform = transformOf(framing);
    let text = '';
    const push = (piece: Buffer): boolean => {
      try {
        text += String(transform.push(piece) ?? '');
        return transform.broken !== undefined;
      } catch {
        return true;
      }
    };
    const isBroken = push(bytes.subarray(0, at)) || push(bytes.subarray(at));
    expect({ at, text, isBroken }).toEqual({ at, text: 'data: {"text":"one"}\n\n', isBroken: true });
  }
});
