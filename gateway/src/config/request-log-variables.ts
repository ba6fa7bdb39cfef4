/** Variables of the request log: docs/behaviour/request-logs.md. */
import { z } from 'zod';

const MIB = 1024 * 1024;

const text = (description: string) => z.string().max(4_096).optional().meta({ description });

export const REQUEST_LOG_VARIABLES = {
  GATEHOUSE_LOGS_DATABASE_URL: text(
    'PostgreSQL that the request log is written to, postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full; unset, with GATEHOUSE_LOGS_CLICKHOUSE_URL unset too: no request log',
  ),
  GATEHOUSE_LOGS_CLICKHOUSE_URL: text(
    'ClickHouse that the request log is written to in place of PostgreSQL, https://USER:PASSWORD@HOST:8443',
  ),
  GATEHOUSE_LOGS_QUEUE_BYTES: z.coerce
    .number()
    .int()
    .min(MIB)
    .max(4_096 * MIB)
    .default(64 * MIB)
    .meta({
      description: 'records that wait to be written, on a sidecar at most 8 MiB; of more the oldest are dropped',
    }),
  GATEHOUSE_LOGS_BODY_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .max(16 * MIB)
    .default(256 * 1024)
    .meta({ description: 'how much of each body the request log keeps; 0: rows alone, without headers and bodies' }),
  GATEHOUSE_LOGS_DATABASE_BYTES: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).meta({
    description:
      'how much the request log may take in PostgreSQL, with its indexes; of more the oldest days are dropped, and while the present day alone has more nothing is written; 0: no bound',
  }),
  GATEHOUSE_LOGS_RETENTION_DAYS: z.coerce.number().int().min(0).max(36_500).default(30).meta({
    description:
      'how long rows of the request log are kept, in days, where the Organisation does not say it; 0: for ever',
  }),
} as const;
