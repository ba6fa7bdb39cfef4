/** A held stream whose first piece could not be read was written on after its end, which ended the process. */
import { expect, test } from 'vitest';
import { AppError } from '../../gateway/src/errors/index.ts';
import { BodyRelay } from '../../gateway/src/upstream/index.ts';

test.for([{ complete: false }, { complete: true }])(
  'a sink that cancels in write gets no call but fail after that, complete: $complete',
  ({ complete }) => {
    const body = new BodyRelay({ pause: () => {}, resume: () => {}, abort: (reason) => body.break(reason) });
    for (const text of ['bad', 'more', 'and more']) body.push(Buffer.from(text));
    if (complete) body.finish();
    const calls: string[] = [];
    body.pipe({
      write: (bytes) => {
        calls.push(bytes.toString());
        body.cancel(new AppError('UPSTREAM_STREAM_BROKEN'));
        return true;
      },
      end: () => void calls.push('end'),
      fail: ({ code }) => void calls.push(code),
    });
    expect(calls).toEqual(['bad', 'UPSTREAM_STREAM_BROKEN']);
  },
);
