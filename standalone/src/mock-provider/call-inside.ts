import type { JsonObject } from './json.ts';

export interface InsideAnswer {
  readonly status: number;
  readonly requestId: string;
  /** Parsed when it is JSON, else its text. */
  readonly body: unknown;
}

/** Answers a POST request to another path of the same mock without a connection: what a batch consists of. */
export type CallInside = (path: string, body: JsonObject) => InsideAnswer;
