/** A held stream whose first piece could not be read was written on after its end, which ended the process. */
import { expect, test } from 'vitest';
import { AppError } from '../../gateway/src/errors/index.ts';
import { BodyRelay } from '../../gateway/src/upstream/index.ts';

test.for([{ complete: false }, { complete: true }])(
  'a sink that gives up hears nothing more: $complete',
  ({ complete }) => {
    const body = new BodyRelay({ pause: () => {}, resume: () => {}, abort: (reason) => body.break(reason) });
    for (const text of ['bad', 'more', 'and more']) body.push(Buffer.from(text));
    if (complete) body.finish();
    const heard: string[] = [];
    body.pipe({
      write: (bytes) => {
        heard.push(bytes.toString());
        body.cancel(new AppError('UPSTREAM_STREAM_BROKEN'));
        return true;
      },
      end: () => void heard.push('end'),
      fail: ({ code }) => void heard.push(code),
    });
    expect(heard).toEqual(['bad', 'UPSTREAM_STREAM_BROKEN']);
  },
);
