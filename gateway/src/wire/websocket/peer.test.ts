import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { CLOSE, type PeerEnd, WebSocketPeer } from './peer.ts';

const MASK = Buffer.from([1, 2, 3, 4]);

/** A frame of a client, which is masked. */
function frame(opcode: number, payload: Buffer | string, { fin = true, masked = true, reserved = 0 } = {}): Buffer {
  const body = Buffer.from(payload);
  const head = [(fin ? 0x80 : 0) | reserved | opcode];
  if (body.length < 126) head.push((masked ? 0x80 : 0) | body.length);
  else head.push((masked ? 0x80 : 0) | 126, body.length >> 8, body.length & 0xff);
  if (!masked) return Buffer.concat([Buffer.from(head), body]);
  return Buffer.concat([Buffer.from(head), MASK, body.map((byte, i) => byte ^ (MASK[i % 4] ?? 0))]);
}

function open({ maxMessageBytes = 1_000, budgetBytes = 100_000 } = {}) {
  const written: Buffer[] = [];
  const socket = new Duplex({
    read: () => {},
    write: (bytes: Buffer, _encoding, done) => {
      written.push(bytes);
      done();
    },
  });
  const budget = createByteBudget(budgetBytes);
  const messages: string[] = [];
  const ends: PeerEnd[] = [];
  const peer = new WebSocketPeer(socket, {
    role: 'server',
    maxMessageBytes,
    memory: budget.open(),
    onMessage: (data, isBinary) => void messages.push(`${isBinary ? 'binary' : 'text'} ${data}`),
    onDrain: () => {},
    onEnd: (end) => void ends.push(end),
  });
  peer.start();
  const receive = (bytes: Buffer): boolean => socket.emit('data', Buffer.from(bytes)); // masks are taken off in place
  return { peer, budget, messages, ends, receive, written };
}

describe('the messages of a client', () => {
  test('come whole, whatever the pieces are, and hold nothing afterwards', () => {
    const bytes = Buffer.concat([
      frame(1, 'a', { fin: false }),
      frame(9, 'ping'),
      frame(0, 'b'),
      frame(2, Buffer.from('c')),
      frame(1, 'd'.repeat(200)),
    ]);
    const want = ['text ab', 'binary c', `text ${'d'.repeat(200)}`];
    for (const size of [1, 2, 7, bytes.length]) {
      const { receive, messages, budget, ends } = open();
      for (let at = 0; at < bytes.length; at += size) receive(bytes.subarray(at, at + size));
      expect(messages).toEqual(want);
      expect([budget.used, ends]).toEqual([0, []]);
    }
  });

  test.for([
    { rule: 'too large', bytes: frame(1, 'x'.repeat(1_001)), code: CLOSE.tooLarge },
    {
      rule: 'too large in fragments',
      bytes: repeated(frame(1, 'x'.repeat(600), { fin: false }), frame(0, 'x'.repeat(600))),
      code: CLOSE.tooLarge,
    },
    { rule: 'not masked', bytes: frame(1, 'x', { masked: false }), code: CLOSE.protocolError },
    { rule: 'of an unknown kind', bytes: frame(3, 'x'), code: CLOSE.protocolError },
    { rule: 'compressed', bytes: frame(1, 'x', { reserved: 0x40 }), code: CLOSE.protocolError },
    { rule: 'a continuation of nothing', bytes: frame(0, 'x'), code: CLOSE.protocolError },
    { rule: 'no UTF-8', bytes: frame(1, Buffer.from([0xff])), code: CLOSE.invalidText },
    { rule: 'a close with a wrong code', bytes: frame(8, Buffer.from([0, 1])), code: CLOSE.protocolError },
    { rule: 'a ping in fragments', bytes: frame(9, 'x', { fin: false }), code: CLOSE.protocolError },
    {
      rule: 'in too many fragments',
      bytes: repeated(
        frame(1, 'x', { fin: false }),
        ...Array.from({ length: 4_100 }, () => frame(0, '', { fin: false })),
      ),
      code: CLOSE.policy,
    },
  ])('that are $rule end the connection, once: $code', async ({ bytes, code }) => {
    const { receive, messages, ends, budget } = open();
    receive(bytes);
    await nextTurn();
    receive(frame(1, 'later'));
    await nextTurn();
    expect(ends).toMatchObject([{ kind: 'refused', code }]);
    expect([messages, budget.used]).toEqual([[], 0]);
  });

  test('end the connection where the memory is used up', () => {
    const { receive, ends, budget } = open({ budgetBytes: 100 });
    receive(frame(1, 'x'.repeat(90), { fin: false }));
    receive(frame(0, 'x'.repeat(90)));
    expect(ends).toMatchObject([{ kind: 'refused', code: CLOSE.tryAgain }]);
    expect(budget.used).toBe(0);
  });

  test('with a close frame end with its code and reason', () => {
    const { receive, ends } = open();
    receive(frame(8, Buffer.from([0x03, 0xe8, ...Buffer.from('bye')])));
    expect(ends).toEqual([{ kind: 'closed', code: 1000, reason: Buffer.from('bye') }]);
    const silent = open();
    silent.receive(frame(8, ''));
    expect(silent.ends).toMatchObject([{ kind: 'closed', code: undefined }]);
  });

  test('of any bytes end the connection at most once, and throw nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 16 }), async (pieces) => {
        const { receive, ends, budget } = open();
        for (const piece of pieces) receive(Buffer.from(piece));
        await nextTurn();
        expect(budget.used).toBeLessThanOrEqual(1_024);
        expect(ends.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});

function repeated(...frames: readonly Buffer[]): Buffer {
  return Buffer.concat(frames);
}

test('the reason of a close is cut between characters', () => {
  const { peer, written } = open();
  peer.close(CLOSE.policy, 'é'.repeat(100));
  const [, length = 0, high = 0, low = 0, ...reason] = Buffer.concat(written);
  expect([length, high * 256 + low]).toEqual([124, CLOSE.policy]);
  expect(Buffer.from(reason).toString()).toBe('é'.repeat(61));
  peer.destroy();
});
