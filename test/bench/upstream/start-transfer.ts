import type { Bench } from '../bench.ts';
import type { Running } from '../processes.ts';

/** Starts the upstream of files and sockets (transfer.ts); `bytes`: of a download. */
export async function startTransfer({ processes }: Bench, bytes: number): Promise<Running & { readonly port: number }> {
  const running = await processes.startNode<{ readonly port: number }>(new URL('./transfer.ts', import.meta.url), {
    args: [String(bytes)],
  });
  return { ...running, port: running.ready.port };
}
