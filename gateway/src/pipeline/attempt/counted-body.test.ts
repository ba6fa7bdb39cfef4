import { describe, expect, test } from 'vitest';
import { AppError } from '../../errors/index.ts';
import { BodyRelay } from '../../upstream/index.ts';
import { countedBody } from './counted-body.ts';

/** A body whose pieces are pushed by hand, behind a counter that takes its time with `slow`. */
function world() {
  const calls: string[] = [];
  const upstream = new BodyRelay({
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    abort: () => void calls.push('abort'),
  });
  const slow = Promise.withResolvers<void>();
  const body = countedBody(upstream, {
    take: (piece) => (String(piece) === 'slow' ? slow.promise : undefined),
    finish: () => undefined,
    close: () => void calls.push('close'),
  });
  const got: string[] = [];
  const pipe = (isOpen = true): void =>
    body.pipe({
      write: (piece) => {
        got.push(String(piece));
        return isOpen;
      },
      end: () => void got.push('end'),
      fail: ({ code }) => void got.push(code),
    });
  const push = (...texts: string[]): void => {
    for (const text of texts) upstream.push(Buffer.from(text));
  };
  return { upstream, body, slow, calls, got, pipe, push };
}

describe('a counted body', () => {
  test('passes pieces and its end in order, also those that came while the counter took its time', async () => {
    const { upstream, slow, calls, got, pipe, push } = world();
    pipe();
    push('a', 'slow', 'b');
    upstream.finish();
    expect([got, calls.at(-1)]).toEqual([['a'], 'pause']);
    slow.resolve();
    await slow.promise;
    expect(got).toEqual(['a', 'slow', 'b', 'end']);
    expect(calls.at(-1)).toBe('close');
  });

  test('goes on after the counter has taken its time', async () => {
    const { slow, calls, pipe, push } = world();
    pipe();
    push('slow');
    slow.resolve();
    await slow.promise;
    expect(calls.at(-1)).toBe('resume');
  });

  test('pauses where its reader is full, and goes on with it', () => {
    const { body, calls, pipe, push } = world();
    pipe(false);
    push('a');
    expect(calls.at(-1)).toBe('pause');
    body.resume();
    expect(calls.at(-1)).toBe('resume');
  });

  test('is broken with its source, and passes nothing after that', async () => {
    const { upstream, slow, calls, got, pipe, push } = world();
    pipe();
    push('a', 'slow');
    upstream.break(new AppError('UPSTREAM_STREAM_BROKEN'));
    slow.resolve();
    await slow.promise;
    expect([got, calls.filter((call) => call === 'close')]).toEqual([['a', 'UPSTREAM_STREAM_BROKEN'], ['close']]);
  });

  test('stops its source where it is not needed, or the counter fails', async () => {
    const unneeded = world();
    unneeded.body.discard();
    expect(unneeded.calls.slice(-2)).toEqual(['abort', 'close']);
    const failing = world();
    failing.pipe();
    failing.push('slow');
    failing.slow.reject(new Error('boom'));
    await expect.poll(() => failing.got).toEqual(['INTERNAL']);
    expect(failing.calls).toContain('abort');
  });
});
