/** Streams that begin with the provider's overload error, for accounts that ask for this look; docs/behaviour/streams.md. */
import { AppError } from '../../../errors/index.ts';
import type { Provider } from '../../../providers/contract.ts';
import type { UpstreamBody } from '../../../upstream/index.ts';
import { createFrameReader } from '../../../wire/framing/index.ts';
import type { AnsweredTry } from './index.ts';

/** UPSTREAM_OVERLOADED when the stream begins with that error. */
export function checkOverload({ prepared, answer: { body } }: AnsweredTry): undefined | Promise<AppError | undefined> {
  const { provider, resolved } = prepared;
  if (body.kind !== 'stream' || resolved.managed?.inspectStreamForOverload !== true) return undefined;
  return isOverloaded(provider, body.upstream).then((is) => (is ? new AppError('UPSTREAM_OVERLOADED') : undefined));
}

/** Looks at events, pings left out, until the first; nothing is taken from the stream. */
export async function isOverloaded({ isOverloadFrame }: Provider, body: UpstreamBody): Promise<boolean> {
  if (isOverloadFrame === undefined) return false;
  const reader = createFrameReader('sse');
  let seen = 0;
  for (;;) {
    const { held, last } = await body.peek(seen);
    const bytes = Buffer.concat(held);
    const frames = reader.push(bytes.subarray(seen));
    seen = bytes.length;
    const first = frames.find(({ event }) => event !== 'ping');
    if (first !== undefined) return isOverloadFrame(first);
    if (last) return false;
  }
}
