/** Longest texts that are given to checks, together, in UTF-16 units. */
export const MAX_CHECKED_CHARS = 1_048_576;

/** A text and where it stands; without a path it stands for a part that has no text. */
export interface Place {
  readonly text: string;
  readonly path: Path | undefined;
  /** Of a part of a JSON text at the path: where it stands there, as it is written. */
  readonly inside?: { readonly from: number; readonly to: number /** It is in no string. */; readonly isRaw?: boolean };
  /** Where the answer says the text again, in pieces. */
  readonly copies?: readonly Path[];
}

export type Path = readonly (string | number)[];
