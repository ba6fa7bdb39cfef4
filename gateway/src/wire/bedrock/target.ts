import type { InlineMedia } from './media.ts';
import type { Family } from './model-id.ts';

/** Facts that the body depends on beside the parameters. */
export interface ConverseTarget {
  /** The foundation model if known, else the id. */
  readonly model: string;
  readonly family: Family;
  readonly anthropicBeta?: readonly string[] | undefined;
  readonly anthropicVersion?: string | undefined;
  /** Fetched files by their URL. */
  readonly remote?: ReadonlyMap<string, InlineMedia>;
}
