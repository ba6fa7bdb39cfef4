import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../images/bundle.ts';
import type { Bench } from '../../bench.ts';
import { createPeer, originOf, type Peer } from '../peer.ts';

/** Starts the bare proxy, bundled like the gateway (removing types at start takes 17 MB), in front of the upstream on that port. */
export async function startBare({ processes, directory }: Bench, upstreamPort: number): Promise<Peer> {
  const file = join(directory, 'bare.mjs');
  if (!existsSync(file)) await bundleFile(fileURLToPath(new URL('./main.ts', import.meta.url)), file);
  const running = await processes.startNode<{ readonly port: number }>(file, {
    env: { NODE_ENV: 'production', UPSTREAM: originOf(upstreamPort) },
  });
  return createPeer('bare proxy', running, { port: running.ready.port, headers: { Authorization: 'Bearer sk-bench' } });
}
