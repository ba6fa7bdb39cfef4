import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import { unlimitedAccount } from '../lib/testing.ts';
import { BodyRelay } from './body-relay.ts';
import type { BodySink } from './port.ts';

interface Recorded {
  text: string;
  ended: number;
  failed: string[];
}

function open() {
  const flow: string[] = [];
  const body = new BodyRelay({
    pause: () => void flow.push('pause'),
    resume: () => void flow.push('resume'),
    abort: (reason) => {
      flow.push('abort');
      body.break(reason); // as undici does, in the same turn
      body.push(Buffer.from('late'));
      body.finish();
    },
  });
  return { body, flow };
}
const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET' });

/** A sink that records its calls; `write` may be replaced. */
function sink(write?: (text: string, recorded: Recorded) => boolean): { recorded: Recorded; sink: BodySink } {
  const recorded: Recorded = { text: '', ended: 0, failed: [] };
  return {
    recorded,
    sink: {
      write: (bytes) => {
        recorded.text += bytes;
        return write?.(bytes.toString(), recorded) ?? true;
      },
      end: () => {
        recorded.ended += 1;
      },
      fail: ({ code }) => void recorded.failed.push(code),
    },
  };
}

describe('the body of an answer', () => {
  test('is held until a sink is there, and paused when it is too much', () => {
    const { body, flow } = open();
    body.push(Buffer.alloc(65_535));
    expect(flow).toEqual([]);
    body.push(Buffer.alloc(1));
    expect(flow).toEqual(['pause']);
    const { recorded, sink: to } = sink();
    body.pipe(to);
    expect(flow).toEqual(['pause', 'resume']);
    expect(recorded.text).toHaveLength(65_536);
  });

  test('is passed on as it arrives once a sink is there, and pauses for a sink that is full', () => {
    const { body, flow } = open();
    const { recorded, sink: to } = sink((text) => text !== 'full');
    body.pipe(to);
    body.push(Buffer.from('a'));
    body.push(Buffer.from('full'));
    body.resume();
    body.finish();
    expect(flow).toEqual(['resume', 'pause', 'resume']);
    expect(recorded).toEqual({ text: 'afull', ended: 1, failed: [] });
  });

  test('stays paused when what was held has filled the sink', () => {
    const { body, flow } = open();
    body.push(Buffer.from('a'));
    body.pipe(sink(() => false).sink);
    expect(flow).toEqual(['pause']);
  });

  test('that broke or ended before a sink is there ends after the bytes held', () => {
    const broken = open().body;
    broken.push(Buffer.from('a'));
    broken.break(lost);
    const first = sink();
    broken.pipe(first.sink);
    expect(first.recorded).toEqual({ text: 'a', ended: 0, failed: ['UPSTREAM_UNREACHABLE'] });
    const ended = open().body;
    ended.push(Buffer.from('b'));
    ended.finish();
    const second = sink();
    ended.pipe(second.sink);
    expect(second.recorded).toEqual({ text: 'b', ended: 1, failed: [] });
  });

  test('ends or fails once, whatever happens in whatever order', () => {
    const steps: Readonly<Record<string, (body: BodyRelay) => void>> = {
      push: (body) => body.push(Buffer.from('x')),
      finish: (body) => body.finish(),
      break: (body) => body.break(lost),
      cancel: (body) => body.cancel(new AppError('CLIENT_CLOSED')),
      discard: (body) => body.discard(),
      resume: (body) => body.resume(),
    };
    const order = fc.array(fc.constantFrom(...Object.keys(steps)), { maxLength: 8 });
    fc.assert(
      fc.property(order, order, fc.boolean(), (before, after, cancels) => {
        const { body } = open();
        const writtenLate: string[] = [];
        const { recorded, sink: to } = sink((text, { ended, failed }) => {
          if (ended + failed.length > 0) writtenLate.push(text);
          if (cancels) body.cancel(new AppError('UPSTREAM_TOO_LARGE'));
          return true;
        });
        for (const name of before) steps[name]?.(body);
        body.pipe(to);
        for (const name of after) steps[name]?.(body);
        expect(writtenLate).toEqual([]);
        expect(recorded.ended + recorded.failed.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a sink that cancels', () => {
  const giveUp = new AppError('UPSTREAM_STREAM_BROKEN');

  test('fails once with the reason, in the middle of the bytes held', () => {
    const { body, flow } = open();
    for (const text of ['good', 'bad', 'more']) body.push(Buffer.from(text));
    const { recorded, sink: to } = sink((text) => {
      if (text === 'bad') body.cancel(giveUp);
      return true;
    });
    body.pipe(to);
    expect(recorded).toEqual({ text: 'goodbad', ended: 0, failed: ['UPSTREAM_STREAM_BROKEN'] });
    expect(flow).toEqual(['abort']);
  });

  test('fails with the reason also when the whole answer has arrived', () => {
    const { body, flow } = open();
    body.push(Buffer.from('bad'));
    body.finish();
    const { recorded, sink: to } = sink(() => {
      body.cancel(giveUp);
      return true;
    });
    body.pipe(to);
    expect(recorded).toEqual({ text: 'bad', ended: 0, failed: ['UPSTREAM_STREAM_BROKEN'] });
    expect(flow).toEqual([]); // there is nothing left to abort
  });
});

describe('peeking', () => {
  test('waits for more bytes than given, and leaves them in the body', async () => {
    const { body } = open();
    const first = body.peek(0);
    body.push(Buffer.from('a'));
    expect(await first).toMatchObject({ last: false });
    const second = body.peek(1);
    body.push(Buffer.from('b'));
    expect(Buffer.concat([...(await second).held]).toString()).toBe('ab');
    const third = body.peek(2);
    body.finish();
    expect(await third).toMatchObject({ last: true });
    expect((await body.collect(10, unlimitedAccount())).toString()).toBe('ab');
  });

  test('ends when no more can be held', async () => {
    const { body } = open();
    body.push(Buffer.alloc(70_000));
    expect(await body.peek(70_000)).toMatchObject({ last: true });
  });

  test('fails with the connection, after the bytes that arrived', async () => {
    const { body } = open();
    body.push(Buffer.from('a'));
    body.break(lost);
    expect((await body.peek(0)).held).toHaveLength(1);
    await expect(body.peek(1)).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  });
});

describe('collecting', () => {
  test('returns the whole body', async () => {
    const { body } = open();
    const whole = body.collect(100, unlimitedAccount());
    for (const text of ['a', 'b', 'c']) body.push(Buffer.from(text));
    body.finish();
    expect((await whole).toString()).toBe('abc');
    const empty = open().body;
    empty.finish();
    expect(await empty.collect(1, unlimitedAccount())).toHaveLength(0);
  });

  test('stops beyond the limit, also when the whole body has arrived', async () => {
    const { body, flow } = open();
    const whole = body.collect(3, unlimitedAccount());
    body.push(Buffer.from('abcd'));
    await expect(whole).rejects.toMatchObject({ code: 'UPSTREAM_TOO_LARGE' });
    expect(flow).toContain('abort');
    const here = open().body;
    here.push(Buffer.from('abcd'));
    here.finish();
    await expect(here.collect(3, unlimitedAccount())).rejects.toMatchObject({ code: 'UPSTREAM_TOO_LARGE' });
  });

  test('fails with the connection', async () => {
    const { body } = open();
    const whole = body.collect(100, unlimitedAccount());
    body.break(lost);
    await expect(whole).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  });

  test('stops at the byte budget, and returns what it took of it', async () => {
    const { body, flow } = open();
    const budget = createByteBudget(5);
    const whole = body.collect(100, budget.open());
    body.push(Buffer.from('abcd'));
    expect(budget.used).toBe(4);
    body.push(Buffer.from('ef'));
    await expect(whole).rejects.toMatchObject({ code: 'MEMORY_EXHAUSTED' });
    expect([budget.used, flow.includes('abort')]).toEqual([0, true]);
  });
});
