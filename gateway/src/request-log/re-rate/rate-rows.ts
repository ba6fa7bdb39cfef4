/** Rates the rows of a batch. */
import type { LogRow } from '@gatehouse/crds/logs';
import type { RatingOptions, ReRatedRow } from './options.ts';
import { rateRow } from './rate-row.ts';

export interface Change {
  readonly before: LogRow;
  readonly after: LogRow;
}

export function rateRows(found: readonly LogRow[], { prices, now }: Pick<RatingOptions, 'prices' | 'now'>) {
  const changes: Change[] = [];
  const rows = found.map((row): ReRatedRow => {
    const rating = rateRow(row, prices, now());
    const before = row.cost_nano ?? 0;
    const named = { provider: row.provider ?? '', model: row.model ?? row.answered_model ?? '' };
    if (rating.kind === 'left') return { ...named, before, after: before, kind: rating.why };
    if (rating.kind === 'same') return { ...named, before, after: before, kind: 'same' };
    changes.push({ before: row, after: rating.row });
    return { ...named, before, after: rating.row.cost_nano ?? 0, kind: 'changed' };
  });
  return { rows, changes };
}
