/** Whether a stream begins with the provider's overload error; behaviour-streaming 8.4. */
import type { Provider } from '../../../providers/contract.ts';
import type { UpstreamResponse } from '../../../upstream/index.ts';
import { createFrameReader } from '../../../wire/framing/index.ts';

/** Looks at events, pings left out, until one tells; what was looked at is still delivered. */
export async function isOverloaded(provider: Provider, response: UpstreamResponse): Promise<boolean> {
  const { isOverloadFrame } = provider;
  if (isOverloadFrame === undefined) return false;
  const reader = createFrameReader('sse');
  let seen = 0;
  for (;;) {
    const { held, last } = await response.body.peek(seen);
    const bytes = Buffer.concat(held);
    const frames = reader.push(bytes.subarray(seen));
    seen = bytes.length;
    const telling = frames.find(({ event }) => event !== 'ping');
    if (telling !== undefined) {
      const overloaded = isOverloadFrame(telling);
      if (overloaded) response.body.discard();
      return overloaded;
    }
    if (last) return false;
  }
}
