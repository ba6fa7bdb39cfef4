import { expect, test } from 'vitest';
import { readEnvironment, requestLogOfProcess, toSettings } from './index.ts';

const requestLogOf = (variables: Readonly<Record<string, string>>) => toSettings(readEnvironment(variables)).requestLog;

test('there is no request log where no database is named', () => {
  expect(requestLogOf({})).toBeUndefined();
  expect(requestLogOf({ GATEHOUSE_LOGS_RETENTION_DAYS: '3' })).toBeUndefined();
});

test('the request log is kept for a month in PostgreSQL', () => {
  const url = 'postgres://ada:secret@db/logs';
  const settings = requestLogOf({ GATEHOUSE_LOGS_DATABASE_URL: url });
  expect(settings).toMatchObject({ database: { kind: 'postgres' }, maxBytes: 67_108_864, retentionMs: 2_592_000_000 });
  const database = settings?.database;
  expect(database?.kind === 'postgres' && database.url.reveal()).toBe(url);
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

test('the store of a process has the same bounds', () => {
  const env = readEnvironment({
    GATEHOUSE_LOGS_RETENTION_DAYS: '2',
    GATEHOUSE_LOGS_QUEUE_BYTES: '2097152',
    GATEHOUSE_LOGS_DATABASE_BYTES: '9',
  });
  expect(requestLogOfProcess(env)).toEqual({
    ...{ database: { kind: 'process' }, maxBytes: 2_097_152, maxStoredBytes: 9, retentionMs: 172_800_000 },
  });
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
