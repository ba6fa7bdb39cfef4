import { APP_KEY, type ChaosWorld, configNow, numberOf } from './world.ts';

/** The status reported an edit as served while a gateway served an older one. */
export interface FalseClaim {
  readonly pod: string;
  readonly claimed: number;
  readonly answered: string;
}

export interface Monitor extends AsyncDisposable {
  readonly claims: readonly FalseClaim[];
  /** How often a claim of the status was compared with what a gateway serves. */
  readonly comparisons: number;
}

/**
 * Compares the status with the gateways again and again: `Programmed=True` promises that every ready gateway serves it. What is asked
 * for only ever goes up, so a gateway that answers with an older edit after the status was read breaks the promise.
 */
export function startMonitor(world: ChaosWorld): Monitor {
  const claims: FalseClaim[] = [];
  let comparisons = 0;
  let isStopped = false;
  const compare = async (): Promise<void> => {
    const pods = [...world.pods];
    const config = await configNow(world);
    if (config === undefined || !config.isProgrammed) return;
    for (const pod of pods) {
      const answered = await pod.ask(APP_KEY).catch(() => undefined);
      if (answered === undefined || !world.pods.has(pod)) continue; // it is being replaced
      comparisons += 1;
      const served = numberOf(answered);
      if (served === undefined || served < config.asked) {
        claims.push({ pod: pod.pod, claimed: config.asked, answered: String(answered) });
      }
    }
  };
  const running = (async () => {
    while (!isStopped) await compare();
  })();
  return {
    claims,
    get comparisons() {
      return comparisons;
    },
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      await running;
    },
  };
}
