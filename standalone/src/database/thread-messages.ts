/** What a process and its thread with PGlite tell each other. */

/** `close` ends the thread. */
export type ThreadCall =
  | { readonly kind: 'query'; readonly id: number; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'close' };

export type ThreadAnswer = { readonly id: number } & (
  | ({ readonly ok: true } & ThreadResult)
  | { readonly ok: false; readonly failure: ThreadFailure }
);

export interface ThreadResult {
  readonly rows: readonly object[];
  readonly affectedRows: number | undefined;
}

export interface ThreadFailure {
  readonly message: string;
  /** SQLSTATE. */
  readonly code: string | undefined;
}
