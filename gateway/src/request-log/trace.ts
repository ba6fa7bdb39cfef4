/** What is asked of a log about one request, and what it says. */
import type { LogContent, LogRow } from '@gatehouse/crds/logs';

export interface TraceQuestion {
  readonly traceId: string;
  /** Slug; undefined: the only one that has the trace. */
  readonly workspace: string | undefined;
}

export type LoggedTrace =
  | {
      readonly kind: 'found';
      /** Of the newest request with the trace, in the order of the attempts; at least one. */
      readonly rows: readonly LogRow[];
      /** Of its final row; undefined: none was kept in the database, or it is not one that gateways write. */
      readonly content: LogContent | undefined;
    }
  | { readonly kind: 'absent' }
  /** Clients have recorded it: no request of the gateway has the trace. */
  | { readonly kind: 'recorded' }
  /** Requests of several workspaces have the trace: slugs in their order, at most 20. */
  | { readonly kind: 'several'; readonly workspaces: readonly string[] };

/** Of one request: it has as many attempts as targets, which are bounded. */
export const MAX_TRACE_ROWS = 1_000;
/** That are told apart. */
export const MAX_TRACE_WORKSPACES = 20;
