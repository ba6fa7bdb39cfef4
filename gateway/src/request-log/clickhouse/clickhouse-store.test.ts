import { ClickHouseError } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { createClickHouseStore } from './clickhouse-store.ts';

const POCO = 'Poco::Exception. Code: 1000, e.code() = ';
const said = (code: string, message: string) => new ClickHouseError({ code, message, type: 'SOME_ERROR' });

test.for([
  { error: new Error(`${POCO}0, HTML Form Exception: Field value too long (version 26.9.2.1)`), isTemporary: false },
  { error: new Error(`${POCO}0, Timeout (version 26.9.2.1)`), isTemporary: true },
  { error: new Error(`${POCO}104, Net Exception: Connection reset by peer`), isTemporary: true },
  { error: new Error(`${POCO}0, Timeout: ${POCO}0, HTML Form Exception`), isTemporary: true },
  { error: said('27', 'Cannot parse input'), isTemporary: false },
  { error: said('241', `Memory limit exceeded: ${POCO}0, HTML Form Exception`), isTemporary: true },
  { error: said('1000', 'Timeout'), isTemporary: true },
  { error: new Error('read ECONNRESET'), isTemporary: true },
])('$error.message is temporary: $isTemporary', ({ error, isTemporary }) => {
  const store = createClickHouseStore({ url: 'http://default:secret@127.0.0.1:1' });
  expect(store.isTemporary(error)).toBe(isTemporary);
});
