import type { PiiCategory } from '@gatehouse/crds/guardrails';

/** A part of the text: `start` inclusive, `end` exclusive. */
export interface Finding {
  readonly category: PiiCategory;
  readonly start: number;
  readonly end: number;
}

/** Finds what begins at a position, or belongs to it; looks at a bounded number of characters around it. */
export type Detect = (text: string, at: number) => Finding | undefined;
