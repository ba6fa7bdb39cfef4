/** What is asked of the request log, in the words of no database: docs/behaviour/request-logs.md */
import type { LogRow } from '@gatehouse/crds/logs';
import type { VisibleRows } from './visible-rows.ts';

export interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** What a provider serves under a name. */
export interface ProviderModel {
  readonly provider: string;
  readonly model: string;
}

/** Members that are absent ask for nothing; a list asks for one of its values. */
export interface LogFilter {
  readonly visible: VisibleRows;
  /** Unix time in ms; the end is not included. */
  readonly from: number;
  readonly to: number;
  readonly apiKeys?: readonly string[] | undefined;
  readonly accounts?: readonly string[] | undefined;
  readonly models?: readonly ProviderModel[] | undefined;
  /** Models of any provider. */
  readonly modelNames?: readonly string[] | undefined;
  readonly configs?: readonly string[] | undefined;
  readonly prompts?: readonly string[] | undefined;
  readonly statuses?: readonly number[] | undefined;
  /** What follows is known of rows alone, not of roll-ups. */
  readonly traces?: readonly string[] | undefined;
  readonly spans?: readonly string[] | undefined;
  readonly inputTokens?: Bounds | undefined;
  readonly outputTokens?: Bounds | undefined;
  readonly totalTokens?: Bounds | undefined;
  readonly costNano?: Bounds | undefined;
  /** Of the average of value × weight of the trace. */
  readonly feedback?: Bounds | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Rows are in the order of time and id. */
export type LogPlace = Pick<LogRow, 'created_at' | 'id'>;

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export const DIMENSIONS = [
  ...(['workspace', 'api_key', 'provider', 'account', 'model', 'config', 'prompt'] as const),
  ...(['status', 'cache', 'retries'] as const),
];
export type Dimension = (typeof DIMENSIONS)[number];

/** Of UTC; weeks begin on Monday. */
export type TimeWidth = 'minute' | 'hour' | 'day' | 'week';

export interface SumOptions {
  /** One sum for each combination of values. */
  readonly by: readonly Dimension[];
  /** And for each span of time. */
  readonly width?: TimeWidth | undefined;
  /** With the distribution of response times. */
  readonly withTimes?: boolean | undefined;
  /** With the number of fallbacks. */
  readonly withFallbacks?: boolean | undefined;
  /** The sums with the most requests first; absent: all of them, by time. */
  readonly page?: Page | undefined;
}

/** Names that are missing are empty. */
export interface Sum extends Totals {
  /** Start of the span, in Unix time in ms; 0 without a width. */
  readonly time: number;
  readonly of: Readonly<Partial<Record<Dimension, string | number | boolean>>>;
  /** Steps of response times with their requests. */
  readonly times: readonly (readonly [step: number, requests: number])[];
}

/** Requests, errors, hits and times are those of final rows; cost and tokens are those of all. */
export interface Totals {
  readonly requests: number;
  /** Rows. */
  readonly attempts: number;
  readonly errors: number;
  /** Answered from the cache. */
  readonly hits: number;
  readonly responseMs: number;
  readonly costNano: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** Final rows of targets behind others that had failed, or were left out; 0 where nobody asks for them. */
  readonly fallbacks: number;
  /** Unix time in ms, as exactly as what was summed up tells it. */
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** Of requests that say who uses the client. */
export interface UserCount {
  readonly time: number;
  readonly users: number;
  readonly requests: number;
}

/** By a member of the metadata, or by the user of the client. */
export type Label = { readonly metadata: string } | 'end_user';

export interface LabelSum extends Pick<Totals, 'requests' | 'costNano' | 'totalTokens' | 'lastSeen'> {
  readonly label: string;
  readonly feedback: FeedbackSum & { readonly requests: number };
}

export interface FeedbackSum {
  /** Number of feedbacks. */
  readonly count: number;
  /** Of value × weight. */
  readonly weighted: number;
}

export type FeedbackKey = 'time' | 'value' | 'model';

export interface KeyedFeedback extends FeedbackSum {
  /** Unix time in ms, a value, or a model; the empty text: no model is known. */
  readonly key: number | string;
}

/** Members that are absent stay. */
export interface FeedbackChange {
  readonly value: number;
  readonly weight?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Unix time in ms. */
  readonly at: number;
}

/** A filter that is a parameter of the database never becomes a part of its language. */
export interface LogReader {
  /** The newest first; `before`: those behind a row. */
  list(filter: LogFilter, page: Page, before?: LogPlace): Promise<readonly LogRow[]>;
  /** By its id, else the final row of the newest request with the trace. `around`: Unix time in ms, at most a day from it. */
  find(id: string, visible: VisibleRows, around?: number): Promise<LogRow | undefined>;
  /** The text of the document of a row that was found, where the database keeps documents. */
  content(row: Pick<LogRow, 'id' | 'created_at'>): Promise<string | undefined>;
  sum(filter: LogFilter, options: SumOptions): Promise<{ readonly sums: readonly Sum[]; readonly total: number }>;
  /** By spans of time, and of all. */
  users(
    filter: LogFilter,
    width: TimeWidth,
  ): Promise<{ readonly spans: readonly UserCount[]; readonly all: Omit<UserCount, 'time'> }>;
  /** Those with the most requests first. */
  labels(
    filter: LogFilter,
    label: Label,
    page: Page,
  ): Promise<{ readonly sums: readonly LabelSum[]; readonly total: number }>;
  /** Of the time of the filter, about requests that it asks for. */
  feedback(filter: LogFilter, key: FeedbackKey, width: TimeWidth): Promise<readonly KeyedFeedback[]>;
  /**
   * Changes feedback that is beside the rows, in one of the workspaces; false: there is none with the id. Absent: all of it is in the
   * database of what people say.
   */
  changeFeedback?(id: string, workspaces: readonly string[], change: FeedbackChange): Promise<boolean>;
}

/** A question that the database did not answer in its time. */
export class LogQuestionTooLarge extends Error {
  override readonly name = 'LogQuestionTooLarge';
}
