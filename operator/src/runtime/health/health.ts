/** What is wrong with a part of the program, in a word or two; undefined while it is fine. */
export type Check = () => string | undefined;

export interface HealthReport {
  readonly ok: boolean;
  /** In the order they were added. */
  readonly checks: readonly { readonly name: string; readonly problem: string | undefined }[];
}

/** Data for the endpoints that Kubernetes probes; the server is somebody else's. */
export interface Health {
  /** A part that must work, or the container is restarted. Never what depends on others: an outage heals without us. */
  addLive(name: string, check: Check): void;
  /** A part that must work before the pod gets traffic. */
  addReady(name: string, check: Check): void;
  /** For `/healthz`. */
  live(): HealthReport;
  /** For `/readyz`. */
  ready(): HealthReport;
}

/** Collects checks; a check that throws counts as a problem. */
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
