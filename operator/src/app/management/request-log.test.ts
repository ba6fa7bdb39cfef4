import { expect, test } from 'vitest';
import { createDatabase, postgresDialect } from '../../management/index.ts';
import { openConfiguredLog } from './request-log.ts';

const NONE = { logsClickHouseUrl: undefined, logsDatabaseUrl: undefined, logsAccountPassword: undefined };
const URL = 'postgres://of@127.0.0.1:1/it';
const STORE = {
  kind: 'control_plane' as const,
  ...{ bucket: undefined, region: undefined, basePath: undefined, accessKey: undefined, secretKey: undefined },
  ...{ roleArn: undefined, externalId: undefined, ca: undefined },
};

test.for([
  { what: 'no variable', settings: {}, isKept: false },
  { what: 'a database of the log', settings: { logsDatabaseUrl: URL }, isKept: true },
  { what: 'ClickHouse', settings: { logsClickHouseUrl: 'http://of@127.0.0.1:1' }, isKept: true },
])('a log is read where a variable says that one is kept: $what', async ({ settings, isKept }) => {
  const dialect = postgresDialect({ url: URL });
  if (!dialect.ok) throw new Error(dialect.error);
  const database = createDatabase({ dialect: dialect.value, onAway: () => undefined });
  const log = { error: () => undefined, warn: () => undefined } as never;
  const opened = openConfiguredLog(
    { ...NONE, ...settings, logStore: STORE },
    { database, log, variables: {}, ca: undefined },
  );
  expect(opened !== undefined).toBe(isKept);
  await opened?.[Symbol.asyncDispose]();
  await database.close();
});
