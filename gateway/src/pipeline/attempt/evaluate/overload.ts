/** Streams that begin with the provider's overload error, for accounts that ask for this look; docs/behaviour/streams.md. */
import { AppError } from '../../../errors/index.ts';
import type { Provider } from '../../../providers/contract.ts';
import type { UpstreamBody } from '../../../upstream/index.ts';
import { createFrameReader } from '../../../wire/framing/index.ts';
import type { AnswerCheck, AnsweredTry } from './index.ts';

/** UPSTREAM_OVERLOADED when the stream begins with that error. `isDefault`: also for accounts that do not say. */
export function createOverloadCheck(isDefault: boolean): AnswerCheck {
  return ({ prepared, answer: { body } }: AnsweredTry): undefined | Promise<AppError | undefined> => {
    if (body.kind !== 'stream') return undefined;
    const { provider, resolved } = prepared;
    if (!(resolved.managed?.inspectStreamForOverload ?? isDefault) || provider.isOverloadFrame === undefined) {
      return undefined;
    }
    return isOverloaded(provider, body.upstream).then((is) => (is ? new AppError('UPSTREAM_OVERLOADED') : undefined));
  };
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
