import type { InlineMedia } from './media.ts';
import type { Family } from './model-id.ts';

/** What the body depends on besides the parameters. */
export interface ConverseTarget {
  /** The foundation model when it is known, else the id. */
  readonly model: string;
  readonly family: Family;
  readonly anthropicBeta?: readonly string[] | undefined;
  readonly anthropicVersion?: string | undefined;
  /** Fetched files by their URL. */
  readonly remote?: ReadonlyMap<string, InlineMedia>;
}
