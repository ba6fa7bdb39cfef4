import type { Bench } from '../bench.ts';
import type { Running } from '../processes.ts';

/** Starts an upstream that never ends its answers, or one that always fails (hostile.ts). */
export async function startHostile(
  { processes }: Bench,
  behaviour: 'endless' | 'failing',
): Promise<Running & { readonly port: number }> {
  const running = await processes.startNode<{ readonly port: number }>(new URL('./hostile.ts', import.meta.url), {
    args: [behaviour],
  });
  return { ...running, port: running.ready.port };
}
