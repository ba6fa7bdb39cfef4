/** The annotation on the operator's Lease that says that no sidecar is served any more. */
import type { Lease } from '../runtime/index.ts';

/** Until when it holds, as RFC 3339: after it, an uninstallation that was aborted has no effect. */
export const RETIRED_UNTIL = 'gatehouse.dev/retired-until';

/** In ms since 1970; undefined without the annotation, and where it is no time. */
export function retiredUntilMs(lease: Lease | undefined): number | undefined {
  const ms = Date.parse(lease?.metadata.annotations?.[RETIRED_UNTIL] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** The lease with the annotation; the rest stays, so that the leader keeps leading. */
export const withRetiredUntil = (lease: Lease, untilMs: number): Lease => ({
  ...lease,
  metadata: {
    ...lease.metadata,
    annotations: { ...lease.metadata.annotations, [RETIRED_UNTIL]: new Date(untilMs).toISOString() },
  },
});
