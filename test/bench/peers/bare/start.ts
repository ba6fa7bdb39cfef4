import type { Bench } from '../../bench.ts';
import { createPeer, originOf, type Peer } from '../peer.ts';

/** Starts the bare proxy in front of the upstream on that port. */
export async function startBare({ processes }: Bench, upstreamPort: number): Promise<Peer> {
  const running = await processes.startNode<{ readonly port: number }>(new URL('./main.ts', import.meta.url), {
    env: { NODE_ENV: 'production', UPSTREAM: originOf(upstreamPort) },
  });
  return createPeer('bare proxy', running, { port: running.ready.port, headers: { Authorization: 'Bearer sk-bench' } });
}
