/** Tables of PostgreSQL that are partitioned by day of UTC, so that old rows go with their table. */

export const LOG_SCHEMA = 'gateway_logs';

/** Of gateways in the PostgreSQL of the chart: it owns the schema, and sees nothing else of the database. */
export const LOG_ACCOUNT = 'gateway_logs';
/** The number that processes agree on while they change tables. */
export const LOG_LOCK = 4_028_717_617;

/** Tables with a partition for each day. */
export const DAILY_TABLES = ['logs', 'documents', 'log_minutes', 'log_hours', 'user_hours'] as const;

const DAY_MS = 86_400_000;
const NAME = /^[a-z_]+_(\d{4})(\d{2})(\d{2})$/;

/** The start of the day of an instant, as Unix time in ms. */
export const dayOf = (ms: number): number => ms - (((ms % DAY_MS) + DAY_MS) % DAY_MS);

/** `logs_20260131`. */
export const partitionName = (table: string, day: number): string =>
  `${table}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The day of a partition by its name; undefined: it is none. */
export function dayOfPartition(name: string): number | undefined {
  const match = NAME.exec(name);
  return match === null ? undefined : Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
}

/** The statement that makes the partition of a day, where it is missing. */
export const createPartition = (table: string, day: number): string =>
  `create table if not exists ${LOG_SCHEMA}.${partitionName(table, day)} partition of ${LOG_SCHEMA}.${table} for values from ('${instant(day)}') to ('${instant(day + DAY_MS)}')`;

const instant = (ms: number): string => new Date(ms).toISOString();
