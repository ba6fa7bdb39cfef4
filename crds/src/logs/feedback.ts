/** What somebody thought of the answers of a trace. */
export interface FeedbackRow {
  /** UUID. */
  readonly id: string;
  readonly workspace: string;
  readonly trace_id: string;
  /** A whole number from -10 to 10. */
  readonly value: number;
  /** From 0 to 1: analytics multiply the value by it. */
  readonly weight: number;
  /** Names and values of at most 128 characters. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Id of the key; null: a person who is signed in. */
  readonly api_key: string | null;
  /** The person, or the one that the key belongs to. */
  readonly key_user: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}
