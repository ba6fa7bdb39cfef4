import type { UpstreamBody, UpstreamClient } from '../../../gateway/src/upstream/index.ts';
import { chatAnswer } from '../load/chat-body.ts';

const BYTES = Buffer.from(chatAnswer());
const HEADERS = {
  server: 'nginx',
  date: 'Thu, 01 Jan 2026 00:00:00 GMT',
  'content-type': 'application/json',
  'content-length': String(BYTES.length),
  connection: 'keep-alive',
};

const BODY: UpstreamBody = {
  collect: async (_, memory) => {
    if (!memory.take(BYTES.length)) throw new Error('there is memory for an answer');
    return BYTES;
  },
  peek: notUsed,
  pipe: notUsed,
  resume: notUsed,
  cancel: notUsed,
  discard: notUsed,
};

function notUsed(): never {
  throw new Error('answers are whole, and no call fails');
}

/** Stands for the client of providers: the answer of the bench's upstream, without a connection. */
export const createAnsweringClient = (): UpstreamClient => ({
  send: async () => ({ status: 200, headers: HEADERS, body: BODY }),
  close: async () => undefined,
});
