/** Adds to what analytics sum up: docs/behaviour/request-logs.md#roll-ups */
import { withoutBrokenText } from '@gatehouse/crds';
import { LOG_SCHEMA } from '@gatehouse/crds/logs';
import type { Sql, Transaction } from 'kysely';
import type { RollUp, UserRollUp } from './roll-ups.ts';

/** Each list in the order of `roll-ups.ts`. */
export interface Sums {
  readonly log_minutes: readonly RollUp[];
  readonly log_hours: readonly RollUp[];
  readonly user_hours: readonly UserRollUp[];
}

const NAMES = [
  ...['bucket', 'workspace', 'api_key', 'provider', 'account', 'model', 'config', 'prompt'],
  ...['status', 'cache', 'retries', 'is_fallback', 'latency'],
];
const SUMS = ['requests', 'attempts', 'response_ms', 'cost_nano', 'input_tokens', 'output_tokens', 'total_tokens'];

/** By which rows are told apart, and what is added up; in the order in which all transactions change them. */
const COLUMNS = {
  log_minutes: { names: NAMES, added: SUMS },
  log_hours: { names: NAMES, added: SUMS },
  user_hours: { names: ['bucket', 'workspace', 'api_key', 'end_user'], added: ['requests', 'cost_nano'] },
} as const;

export async function addSums(transaction: Transaction<unknown>, sql: Sql, sums: Sums): Promise<void> {
  for (const table of ['log_minutes', 'log_hours', 'user_hours'] as const) {
    if (sums[table].length === 0) continue;
    const { names, added } = COLUMNS[table];
    const into = sql.table(`${LOG_SCHEMA}.${table}`);
    const rows = withoutBrokenText(JSON.stringify(sums[table]));
    await sql`
      insert into ${into} as ${sql.id(table)} select * from jsonb_populate_recordset(null::${into}, ${rows}::jsonb)
      on conflict (${sql.join(names.map((name) => sql.id(name)))}) do update set ${sql.join(
        added.map((name) => sql`${sql.id(name)} = ${sql.id(table, name)} + excluded.${sql.id(name)}`),
      )}`.execute(transaction);
  }
}
