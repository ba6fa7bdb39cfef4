import type { Bench } from '../bench.ts';
import type { Running } from '../processes.ts';

/** Time between two events of a stream: 20 a second. */
export const EVENT_INTERVAL_MS = 50;

/** Starts the streaming upstream (sse.ts). */
export async function startSse({ processes }: Bench): Promise<Running & { readonly port: number }> {
  const running = await processes.startNode<{ readonly port: number }>(new URL('./sse.ts', import.meta.url), {
    args: [String(EVENT_INTERVAL_MS)],
  });
  return { ...running, port: running.ready.port };
}
