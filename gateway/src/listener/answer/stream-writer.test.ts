import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StreamWriter } from './stream-writer.ts';
import { createWriteBatch } from './write-batch.ts';

/** A response of node after its head, for a client that takes everything at once or, when slow, nothing. */
class FakeResponse extends Writable {
  chunkedEncoding: boolean;
  readonly writes: string[] = [];
  readonly #slow: boolean;
  #taken: () => void = () => undefined;

  constructor({ chunked = true, slow = false } = {}) {
    super({ highWaterMark: 10 });
    this.chunkedEncoding = chunked;
    this.#slow = slow;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.writes.push(bytes.toString('latin1'));
    if (this.#slow) this.#taken = done;
    else done();
  }

  /** The slow client takes what has been written. */
  eat(): void {
    this.#taken();
  }
}

function open(options: { chunked?: boolean; slow?: boolean } = {}, batch = createWriteBatch()) {
  const response = new FakeResponse(options);
  const ready: string[] = [];
  const writer = new StreamWriter(response as unknown as ServerResponse, { batch, onReady: () => ready.push('ready') });
  return { response, writer, ready };
}

/** Writes pieces until the writer is full; returns the bytes it took. */
function fill(writer: StreamWriter): number {
  let bytes = 0;
  do bytes += 1_024;
  while (writer.write(Buffer.alloc(1_024)));
  return bytes;
}

/** The body that chunks carry (RFC 9112 section 7.1). */
function unchunked(text: string): string {
  let body = '';
  let rest = text;
  for (;;) {
    const [, size = ''] = /^([\da-f]+)\r\n/.exec(rest) ?? [];
    const from = size.length + 2;
    const to = from + Number.parseInt(size, 16);
    expect(rest.slice(to, to + 2)).toBe('\r\n');
    if (to === from) return rest.length === to + 2 ? body : expect.unreachable('bytes after the last chunk');
    body += rest.slice(from, to);
    rest = rest.slice(to + 2);
  }
}

describe('a stream', () => {
  test('is one chunk for all pieces of a turn, and then its end', async () => {
    const { response, writer } = open();
    writer.write(Buffer.from('data: a\n\n'));
    writer.write(Buffer.from('data: bcd\n\n'));
    expect(response.writes).toEqual([]);
    await nextTurn();
    expect(response.writes).toEqual(['14\r\ndata: a\n\ndata: bcd\n\n\r\n']);
    writer.write(Buffer.from('data: e\n\n'));
    writer.end();
    expect(response.writes.slice(1).join('')).toBe('9\r\ndata: e\n\n\r\n0\r\n\r\n');
    expect(response.writableEnded).toBe(true);
  });

  test('has its bytes and its end in any pieces and turns', async () => {
    const pieces = fc.array(fc.oneof(fc.constant('turn'), fc.uint8Array({ maxLength: 300 })), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(pieces, async (steps) => {
        const { response, writer } = open();
        const want: Uint8Array[] = [];
        for (const step of steps) {
          if (typeof step === 'string') await nextTurn();
          else {
            want.push(step);
            writer.write(Buffer.from(step));
          }
        }
        writer.end();
        expect(unchunked(response.writes.join(''))).toBe(Buffer.concat(want).toString('latin1'));
      }),
    );
  });

  test('has no chunks where the response has none', async () => {
    const { response, writer } = open({ chunked: false });
    writer.write(Buffer.from('a'));
    writer.write(Buffer.alloc(0));
    writer.write(Buffer.from('b'));
    await nextTurn();
    writer.end();
    expect(response.writes).toEqual(['ab']);
  });

  test('that is cut has what was written before, and no end', async () => {
    const { response, writer } = open();
    writer.write(Buffer.from('a'));
    writer.cut();
    expect(response.writes).toEqual(['1\r\na\r\n']);
    expect(response.destroyed).toBe(true);
  });
});

describe('backpressure', () => {
  test('lets one stream send 64 KiB in a turn, whatever its provider sends, and others their events', async () => {
    const batch = createWriteBatch();
    const greedy = open({}, batch);
    const modest = open({}, batch);
    expect(fill(greedy.writer)).toBe(64 * 1_024);
    expect(modest.writer.write(Buffer.from('data: a\n\n'))).toBe(true);
    await nextTurn();
    expect(modest.response.writes).toEqual(['9\r\ndata: a\n\n\r\n']);
    expect(greedy.ready).toEqual(['ready']);
    expect(fill(greedy.writer)).toBe(64 * 1_024);
    expect(modest.ready).toEqual([]);
  });

  test('stops a stream whose client is behind until the client has caught up', async () => {
    const { response, writer, ready } = open({ slow: true });
    fill(writer);
    await nextTurn();
    expect(ready).toEqual([]);
    response.eat();
    await nextTurn();
    expect(ready).toEqual(['ready']);
    expect(writer.write(Buffer.from('a'))).toBe(true);
  });
});
