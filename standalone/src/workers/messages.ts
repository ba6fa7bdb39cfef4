/**
 * The protocol between the parent and its workers. Its channel is the one that node opens to a child: nobody else can reach it.
 * Messages keep their order. What they may hold together is bounded where they are made.
 */
import type { AnyEntry, SchemaVersion } from '@gatehouse/crds/snapshot';
import type {
  BudgetTotal,
  BudgetUsage,
  GatewaySettings,
  LimitsStatus,
  ManagementAddress,
  MetricReport,
  RequestLogSettings,
  SnapshotStatus,
} from '@gatehouse/gateway';
import type { LogCall, LogResult } from './log-store.ts';
import type { Call, CallResult } from './shared-state/index.ts';

/** Settings that the worker cannot read from its environment, which is that of the parent. */
export interface WorkerSettings
  extends Pick<GatewaySettings, 'listen' | 'drain' | 'logLevel' | 'logReasons' | 'batches'>,
    Required<Pick<GatewaySettings, 'fleetId'>> {
  /** How many workers share the memory of the machine. */
  readonly processes: number;
  /** Of a request log that the parent writes; absent: the worker reads its own from the environment. */
  readonly requestLog?: RequestLogSettings;
  /** Where the parent serves the management API. */
  readonly management?: ManagementAddress | undefined;
}

/** Some entries that differ from what the worker has; it loads them all after the last part. */
export interface SnapshotPart {
  readonly version: number;
  readonly schemaVersion: SchemaVersion;
  readonly put: readonly AnyEntry[];
  /** Ids. */
  readonly remove: readonly string[];
  readonly isLast: boolean;
}

/** An error of the system when a port is opened. */
export interface ListenFailure {
  readonly message: string;
  readonly code: string;
  readonly address: string | undefined;
  readonly port: number | undefined;
}

/** From the parent to a worker; `start` is the first one. */
export type ParentMessage =
  | { readonly type: 'start'; readonly settings: WorkerSettings }
  | { readonly type: 'entries'; readonly part: SnapshotPart }
  | { readonly type: 'listen' }
  | { readonly type: 'drain' }
  | { readonly type: 'results'; readonly results: readonly CallResult[] }
  | { readonly type: 'logged'; readonly id: number; readonly result: LogResult }
  /** Asks for a report. */
  | { readonly type: 'report' }
  /** Asks what budgets have used. */
  | { readonly type: 'usage' }
  | { readonly type: 'seed'; readonly totals: readonly BudgetTotal[] }
  | { readonly type: 'scraped'; readonly text: string };

/** From a worker to the parent. */
export type WorkerMessage =
  | { readonly type: 'loaded'; readonly status: SnapshotStatus }
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'failed'; readonly failure: ListenFailure }
  | { readonly type: 'calls'; readonly calls: readonly Call[] }
  /** Apart from `calls`, since a database takes its time. */
  | { readonly type: 'log'; readonly id: number; readonly call: LogCall }
  | { readonly type: 'report'; readonly report: MetricReport }
  | { readonly type: 'usage'; readonly usage: readonly BudgetUsage[] }
  /** At the start and after each change. */
  | { readonly type: 'limits'; readonly limits: ReturnType<LimitsStatus['current']> }
  /** Asks for the metrics of all processes. */
  | { readonly type: 'scrape' };
