/** Parameters that a target was asked with, as traces show them. */

/** What a request does not say is absent. Numbers are safe integers or finite; texts and their number are bounded. */
export interface AskedParams {
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly seed?: number | undefined;
  /** Answers that are wanted, where that is not one. */
  readonly choices?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly encodings?: readonly string[] | undefined;
  readonly output?: 'text' | 'json' | 'image' | 'speech' | undefined;
  /** Id of a conversation that the provider keeps. */
  readonly conversation?: string | undefined;
}
