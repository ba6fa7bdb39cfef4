/** What the rows of all stores have in common. */

export interface GeneratedRows {
  readonly rows: number;
  readonly days: number;
  /** End of the last day, as Unix time in ms. */
  readonly end: number;
}

export const DAY_MS = 86_400_000;

/** Three of five rows are of one workspace. */
export const WORKSPACES = ['team-a', 'team-a', 'team-a', 'team-b', 'team-c'] as const;
