import { describe, expect, test } from 'vitest';
import { poolConfig } from './postgres.ts';

describe('the URL of a database', () => {
  test('names the server, the account and the database', () => {
    const config = poolConfig({ url: 'postgres://ada:p%40ss@db.example:6432/gate%20house' });
    expect(config).toMatchObject({
      ok: true,
      value: {
        ...{ host: 'db.example', port: 6432, user: 'ada', password: 'p@ss', database: 'gate house', ssl: false },
      },
    });
    expect(poolConfig({ url: 'postgresql://ada@[::1]/x' })).toMatchObject({ value: { host: '::1', port: 5432 } });
  });

  test.for([
    { query: '', ca: undefined, ssl: false },
    { query: '', ca: 'PEM', ssl: { rejectUnauthorized: true, ca: 'PEM' } },
    { query: '?sslmode=disable', ca: 'PEM', ssl: false },
    { query: '?sslmode=require', ca: undefined, ssl: { rejectUnauthorized: true } },
    { query: '?sslmode=verify-full', ca: 'PEM', ssl: { rejectUnauthorized: true, ca: 'PEM' } },
    { query: '?sslmode=no-verify', ca: undefined, ssl: { rejectUnauthorized: false } },
  ])('with "$query" and CA $ca uses TLS as it says', ({ query, ca, ssl }) => {
    expect(poolConfig({ url: `postgres://ada@db/x${query}`, ca })).toMatchObject({ ok: true, value: { ssl } });
  });

  test.for([
    'mysql://secret@db/x',
    'secret',
    'postgres://secret@db',
    'postgres://db/secret',
    'postgres://secret@db/x?sslmode=prefer',
    'postgres://secret@db/x?options=-c',
    'postgres://sec%ret@db/x',
  ])('is refused without being repeated: %s', (url) => {
    const config = poolConfig({ url });
    expect(config.ok).toBe(false);
    expect(JSON.stringify(config)).not.toContain('secret');
  });
});
