import type { Sql } from 'kysely';
import type { Page } from '../reader.ts';
import type { Fragment } from './conditions.ts';

/** A page of a statement with its total and, where it is a later one, places, as `readPage` reads it. `order`: of its columns. */
export function pageOf(sql: Sql, select: Fragment, order: Fragment, { limit, offset }: Page): Fragment {
  if (offset === 0) {
    return sql`select *, count(*) over () as total from (${select}) of_all order by ${order} limit ${limit}`;
  }
  return sql`
    select * from (
      select *, count(*) over () as total, row_number() over (order by ${order}) as place from (${select}) of_all
    ) placed
    where place = 1 or (place > ${offset} and place <= ${offset + limit}) order by place`;
}
