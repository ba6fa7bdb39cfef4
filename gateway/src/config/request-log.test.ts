import { expect, test } from 'vitest';
import { readEnvironment, toSettings } from './index.ts';

const requestLogOf = (variables: Readonly<Record<string, string>>) => toSettings(readEnvironment(variables)).requestLog;

test('there is no request log where no database is named', () => {
  expect(requestLogOf({})).toBeUndefined();
  expect(requestLogOf({ GATEHOUSE_LOGS_RETENTION_DAYS: '3' })).toBeUndefined();
});

test('the request log is kept for a month in PostgreSQL', () => {
  const url = 'postgres://ada:secret@db/logs';
  const settings = requestLogOf({ GATEHOUSE_LOGS_DATABASE_URL: url });
  expect(settings).toMatchObject({ database: { kind: 'postgres' }, maxBytes: 67_108_864, retentionMs: 2_592_000_000 });
  expect(settings?.database.url.reveal()).toBe(url);
  expect(JSON.stringify(settings)).not.toContain('secret');
});

test('ClickHouse goes before PostgreSQL, and 0 days are for ever', () => {
  const settings = requestLogOf({
    GATEHOUSE_LOGS_DATABASE_URL: 'postgres://ada:secret@db/logs',
    GATEHOUSE_LOGS_CLICKHOUSE_URL: 'http://clickhouse:8123',
    GATEHOUSE_LOGS_RETENTION_DAYS: '0',
  });
  expect(settings).toMatchObject({ database: { kind: 'clickhouse' }, retentionMs: undefined });
});

test.for([
  { name: 'GATEHOUSE_LOGS_DATABASE_URL', value: 'mysql://ada:secret@db/logs' },
  { name: 'GATEHOUSE_LOGS_CLICKHOUSE_URL', value: 'tcp://ada:secret@db' },
  { name: 'GATEHOUSE_LOGS_RETENTION_DAYS', value: '-1' },
  { name: 'GATEHOUSE_LOGS_QUEUE_BYTES', value: '5' },
])('a bad $name is an error without its value', ({ name, value }) => {
  expect(() => requestLogOf({ [name]: value })).toThrow(name);
  expect(() => requestLogOf({ [name]: value })).not.toThrow('secret');
});
