import type { Page } from '../reader.ts';
import type { Question } from './question.ts';

/** A page of a table with its total and places, as `readPage` reads it. */
export function pageOf(q: Question, table: string, order: string, { limit, offset }: Page): string {
  const counted = `select *, count() over () as total`;
  if (offset === 0) {
    return `${counted}, 0 as place from ${table} order by ${order} limit ${q.param(limit, 'UInt32')}`;
  }
  const [after, last] = [offset, offset + limit].map((place) => q.param(place, 'Int64'));
  return `select * from (${counted}, row_number() over (order by ${order}) as place from ${table})
    where place = 1 or (place > ${after} and place <= ${last}) order by place`;
}
