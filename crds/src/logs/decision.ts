/** Why a request went where it went. Small, without texts of clients. */

export type CacheVerdict = 'HIT' | 'SEMANTIC HIT' | 'MISS' | 'SEMANTIC MISS' | 'REFRESH' | 'DISABLED';

export interface LogDecision {
  /** `metadata.generation` of the saved config that served; absent: the config was inline, or of a file. */
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
}
