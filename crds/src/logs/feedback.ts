/** What somebody, or a guardrail, thought of the answers of a trace. */
export interface FeedbackRow {
  /** UUID. */
  readonly id: string;
  readonly workspace: string;
  readonly trace_id: string;
  /** A whole number from -10 to 10. */
  readonly value: number;
  /** From 0 to 1: analytics multiply the value by it. */
  readonly weight: number;
  /** Names and values of at most 128 characters; names of checks of a guardrail of at most 1,024. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Id of the key; null: a person who is signed in. */
  readonly api_key: string | null;
  /** The person, or the one that the key belongs to. */
  readonly key_user: string | null;
  /** Id of the guardrail that gave it for a request of the key; null: somebody did. */
  readonly guardrail: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}
