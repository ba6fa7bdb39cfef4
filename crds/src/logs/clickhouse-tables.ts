/** The statements that make the tables of ClickHouse. Each one leaves alone what is there, so that several processes may run them. */
import { statementsOf } from '../sql/index.ts';
import { CLICKHOUSE_MIGRATIONS } from './clickhouse.generated.ts';
import { LOG_SCHEMA } from './partitions.ts';

export const clickHouseStatements = (): readonly string[] => [
  `create database if not exists ${LOG_SCHEMA}`,
  ...CLICKHOUSE_MIGRATIONS.flatMap(({ sql }) => statementsOf(sql)),
];
