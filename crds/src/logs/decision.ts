/** Why a request went where it went. Small, without texts of clients. */

export type CacheVerdict = 'HIT' | 'SEMANTIC HIT' | 'MISS' | 'SEMANTIC MISS' | 'REFRESH' | 'DISABLED';

export interface LogDecision {
  /** `metadata.generation` of the saved config that served; absent: the config was inline. */
  readonly config_generation?: number | undefined;
  /** Calls made to the provider in this attempt: 0 for a cache hit. */
  readonly calls: number;
  /** Calls were left out because the request had caused as many as it may. */
  readonly attempts_exhausted?: true | undefined;
  /** What limits and budgets said, at most 64. */
  readonly limits?: readonly { readonly id: string; readonly passed: boolean }[] | undefined;
  /** Guardrails that ran before the answer was complete, at most 64. */
  readonly guardrails?: readonly LogGuardrail[] | undefined;
  /** Parameters of the client that the provider does not have. */
  readonly dropped_params?: readonly string[] | undefined;
  /** Where the price of the answer comes from. */
  readonly price?: string | undefined;
  /** What the cost depends on besides the tokens of the row; absent: it cannot be computed again. */
  readonly usage?: LogUsage | undefined;
  /** The cost is that of later prices: docs/behaviour/request-logs.md#prices-in-hindsight */
  readonly re_rated?: LogFirstCost | undefined;
}

/** Counts that are not 0. */
export interface LogUsage {
  /** Tokens written to the provider's own cache, and those of them that stay for an hour. */
  readonly cache_write?: number | undefined;
  readonly cache_write_hour?: number | undefined;
  /** Tokens of text in answers that have others, too. */
  readonly text_output?: number | undefined;
  readonly audio?: LogModality | undefined;
  readonly image?: LogModality | undefined;
  /** At most 24. */
  readonly units?: Readonly<Record<string, number>> | undefined;
  /** Images that the request asked for. */
  readonly images?:
    | { readonly count: number; readonly quality?: string | undefined; readonly size?: string | undefined }
    | undefined;
}

export interface LogModality {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** What a row said when it was written. */
export interface LogFirstCost {
  readonly first_cost_nano: number;
  readonly first_unpriced: boolean;
  readonly first_price?: string | undefined;
  /** RFC 3339, of the last change. */
  readonly at: string;
}

export interface LogGuardrail {
  readonly id: string;
  readonly phase: 'input' | 'output';
  readonly verdict: boolean;
  readonly denied?: true | undefined;
  readonly transformed?: true | undefined;
  readonly ms: number;
  /** Ids of checks that did not pass. */
  readonly failed?: readonly string[] | undefined;
  /** Ids of checks that could not decide. */
  readonly errored?: readonly string[] | undefined;
  /** Id of the feedback that it gave for the trace. */
  readonly feedback?: string | undefined;
}
