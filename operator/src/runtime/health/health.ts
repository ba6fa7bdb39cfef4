import type { Cache } from '../reflector/index.ts';

/** The problem of a component in a few words; undefined while there is none. */
export type Check = () => string | undefined;

export interface HealthReport {
  readonly ok: boolean;
  /** In the order of their addition. */
  readonly checks: readonly { readonly name: string; readonly problem: string | undefined }[];
}

/** Results for the endpoints that Kubernetes probes; the server is elsewhere. */
export interface Health {
  /**
   * A component that must work, or the container is restarted. Never one that depends on other programs: restarting does not
   * end an outage.
   */
  addLive(name: string, check: Check): void;
  /** A component that must work before the pod gets traffic. */
  addReady(name: string, check: Check): void;
  /** For `/healthz`. */
  live(): HealthReport;
  /** For `/readyz`. */
  ready(): HealthReport;
}

/** A check that throws counts as a problem. */
export function createHealth(): Health {
  const live = new Map<string, Check>();
  const ready = new Map<string, Check>();
  return {
    addLive: (name, check) => {
      live.set(name, check);
    },
    addReady: (name, check) => {
      ready.set(name, check);
    },
    live: () => report(live),
    ready: () => report(ready),
  };
}

function report(all: ReadonlyMap<string, Check>): HealthReport {
  const checks = [...all].map(([name, check]) => ({ name, problem: run(check) }));
  return { ok: checks.every(({ problem }) => problem === undefined), checks };
}

function run(check: Check): string | undefined {
  try {
    return check();
  } catch {
    return 'the check failed';
  }
}

/** Ready once every store has been complete; stays ready during an outage of the API server. */
export function cacheCheck(cache: Pick<Cache, 'health'>): Check {
  return () => {
    const [first, ...others] = cache.health().filter(({ synced }) => !synced);
    if (first === undefined) return undefined;
    const place = first.namespace === undefined ? first.resource : `${first.resource} in ${first.namespace}`;
    const why = first.failure === undefined ? 'not read yet' : `${first.failure.reason} (${first.failure.status})`;
    return others.length === 0 ? `${place}: ${why}` : `${place}: ${why}, and ${others.length} more`;
  };
}
