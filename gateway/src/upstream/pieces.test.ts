import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import { BodyRelay } from './body-relay.ts';
import { bodyOf, piecesOf } from './pieces.ts';

const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString();

function upstream() {
  const flow = { pauses: 0, resumes: 0, aborted: undefined as Error | undefined };
  const body = new BodyRelay({
    pause: () => {
      flow.pauses += 1;
    },
    resume: () => {
      flow.resumes += 1;
    },
    abort: (reason) => {
      flow.aborted = reason;
    },
  });
  return { flow, body };
}

async function all(pieces: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  for await (const piece of pieces) read.push(piece);
  return text(read);
}

describe('the pieces of a body', () => {
  test('are its bytes, those before the first look included', async () => {
    const { body } = upstream();
    body.push(Buffer.from('ab'));
    const read = all(piecesOf(body));
    body.push(Buffer.from('cd'));
    body.finish();
    expect(await read).toBe('abcd');
  });

  test('end with what broke it', async () => {
    const { body } = upstream();
    const read = all(piecesOf(body));
    body.break(new AppError('UPSTREAM_STREAM_BROKEN'));
    await expect(read).rejects.toMatchObject({ code: 'UPSTREAM_STREAM_BROKEN' });
  });

  test('pause the upstream while nobody reads', async () => {
    const { flow, body } = upstream();
    const pieces = piecesOf(body)[Symbol.asyncIterator]();
    for (let i = 0; i < 4; i += 1) body.push(Buffer.alloc(64 * 1024));
    expect(flow.pauses).toBeGreaterThan(0);
    const before = flow.resumes;
    for (let i = 0; i < 4; i += 1) await pieces.next();
    await turn();
    expect(flow.resumes).toBeGreaterThan(before);
    await pieces.return?.();
  });

  test('stop the upstream where reading ends early', async () => {
    const { flow, body } = upstream();
    body.push(Buffer.from('ab'));
    for await (const _ of piecesOf(body)) break;
    await turn();
    expect(flow.aborted).toBeInstanceOf(AppError);
  });
});

describe('a body of pieces', () => {
  const account = () => createByteBudget(1_000).open();

  test('has all of them', async () => {
    async function* pieces() {
      yield Buffer.from('a');
      yield Buffer.from('b');
    }
    expect((await bodyOf(pieces(), () => undefined).collect(10, account())).toString()).toBe('ab');
  });

  test('breaks with what they throw', async () => {
    async function* pieces() {
      yield Buffer.from('a');
      throw new AppError('UPSTREAM_INVALID_RESPONSE');
    }
    await expect(bodyOf(pieces(), () => undefined).collect(10, account())).rejects.toMatchObject({
      code: 'UPSTREAM_INVALID_RESPONSE',
    });
  });

  test('ends them when it is not needed', async () => {
    let isOver = false;
    async function* pieces() {
      try {
        for (;;) yield Buffer.from('a');
      } finally {
        isOver = true;
      }
    }
    const body = bodyOf(pieces(), () => undefined);
    await body.peek(0);
    body.discard();
    await expect.poll(() => isOver).toBe(true);
  });

  test('stops what they are made of, also while a piece is awaited', async () => {
    const { flow, body } = upstream();
    body.push(Buffer.from('ab'));
    let isOver = false;
    async function* pieces() {
      try {
        yield* piecesOf(body);
      } finally {
        isOver = true;
      }
    }
    const answer = bodyOf(pieces(), () => body.discard());
    await answer.peek(0);
    answer.discard();
    expect(flow.aborted).toBeInstanceOf(AppError);
    await expect.poll(() => isOver).toBe(true);
  });
});
