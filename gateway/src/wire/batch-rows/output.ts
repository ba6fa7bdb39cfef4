/** Rows of an output file in the format of OpenAI: `{id, custom_id, response, error}`, one on each line. */

export type RowOutcome =
  | {
      /** The answer to the row as the client reads it. */
      readonly body: object;
      readonly requestId: string | null;
    }
  | { readonly error: RowError };

export interface RowError {
  readonly code: string;
  readonly message: string;
}

export interface RowNames {
  readonly id: string;
  readonly customId: string;
}

/** Of the row with that number, from 1, in the output of a batch whose provider gives rows no ids. */
export const outputRowId = (batch: string, number: number): string => `${batch}-${number}`;

/** A line with its end. */
export function outputRow({ id, customId }: RowNames, outcome: RowOutcome): Buffer {
  const row =
    'error' in outcome
      ? { response: null, error: outcome.error }
      : { response: { status_code: 200, request_id: outcome.requestId, body: outcome.body }, error: null };
  return Buffer.from(`${JSON.stringify({ id, custom_id: customId, ...row })}\n`);
}
