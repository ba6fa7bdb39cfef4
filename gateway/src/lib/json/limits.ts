/** Limits of one JSON text, checked on its bytes before parsing. */
export interface JsonLimits {
  /** Levels of nesting. */
  readonly depth: number;
  /** Values and member names together. */
  readonly nodes: number;
  /** Length of one string in bytes, escapes as they stand. */
  readonly stringBytes: number;
}

/** Why a text is refused. */
export type JsonProblem =
  | { readonly kind: 'malformed' | 'depth' | 'nodes' | 'string' | 'names' }
  | { readonly kind: 'duplicate'; readonly name: string };

/** Longest member name in bytes: names are hashed byte by byte, and schemas have short ones. */
export const MAX_NAME_BYTES = 64 * 1024;
/** Longest number in bytes: no meaningful number needs more. */
export const MAX_NUMBER_BYTES = 1024;

/**
 * Where no setting says otherwise. Deeper than any schema, and far below what breaks a recursive writer; as many nodes as
 * the largest lists of embeddings have, which take a tenth of a second at the very worst; one image or document may be
 * as large as a body.
 */
export const DEFAULT_JSON_LIMITS: JsonLimits = { depth: 256, nodes: 500_000, stringBytes: 32 * 1024 * 1024 };

/** For headers, whose length has a limit of its own. */
export const HEADER_JSON_LIMITS: JsonLimits = { depth: 64, nodes: 100_000, stringBytes: 256 * 1024 };
