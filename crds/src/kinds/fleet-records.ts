/** Where the gateways of a fleet write the request log. */
import { z } from 'zod';
import { int, type Rule, withRules } from '../schema/index.ts';
import { secretKeyRef } from './parts/index.ts';

/** A hundred years. */
const MAX_DAYS = 36_500;

const database = (description: string) =>
  z
    .strictObject({ urlSecretRef: secretKeyRef('urlSecretRef is the Secret entry with the URL.') })
    .meta({ description })
    .optional();

const URL_REF = { urlSecretRef: { name: 'logs', key: 'url' } };

const RECORDS_RULES: readonly Rule<{ postgres?: object | undefined; clickhouse?: object | undefined }>[] = [
  {
    cel: 'has(self.postgres) != has(self.clickhouse)',
    message: 'the request log is in one database: set either postgres or clickhouse',
    holds: ({ postgres, clickhouse }) => (postgres === undefined) !== (clickhouse === undefined),
    valid: [{ postgres: URL_REF }, { clickhouse: URL_REF }],
    invalid: [{}, { postgres: URL_REF, clickhouse: URL_REF }],
  },
];

export const records = withRules(
  z
    .strictObject({
      postgres: database('postgres keeps the request log in PostgreSQL.'),
      clickhouse: database('clickhouse keeps the request log in ClickHouse.'),
      retentionDays: int('retentionDays is how long rows are kept, in days; 0: for ever.', 0, MAX_DAYS).default(30),
      queueMebibytes: int(
        'queueMebibytes is the most memory of a pod for rows that wait to be written, in MiB; of more the oldest are dropped; absent: 64.',
        1,
        4096,
      ).optional(),
    })
    .meta({ description: 'records keeps a log of requests in a database; absent: none is kept.' }),
  RECORDS_RULES,
);
