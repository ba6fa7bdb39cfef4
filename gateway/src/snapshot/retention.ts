import type { SnapshotView } from './view.ts';

const DAY_MS = 86_400_000;

type Said = Pick<SnapshotView, 'organisation'>;

/** How long the organisation keeps the request log, in days; undefined: it does not say, or there is no Snapshot yet. */
export const retentionDaysOf = (snapshot: Said | undefined): number | undefined =>
  snapshot?.organisation.logging?.retentionDays;

/** As `retentionDaysOf`, in ms. `usualMs`: where it does not say; undefined: for ever. */
export function retentionMsOf(snapshot: Said, usualMs: number | undefined): number | undefined {
  const days = retentionDaysOf(snapshot);
  return days === undefined ? usualMs : days * DAY_MS;
}
