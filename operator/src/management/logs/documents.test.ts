import { logRow } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { findContent, readContent } from './documents.ts';
import type { LogReader } from './reader.ts';

const CONTENT = { request: { url: '/v1', method: 'POST', body: 'hi' } };
const KEY = '30/organisation/id.json';

/** The text of the document in the database, and in the store of objects. */
const given = (text: string | undefined) => ({
  reader: { content: async () => text } as unknown as LogReader, // nothing else is asked
  objects: { get: async () => text },
});

test.each<{ what: string; text: string | undefined; found: object }>([
  { what: 'of the known form is shown', text: JSON.stringify(CONTENT), found: { content: CONTENT } },
  { what: 'that is gone is not', text: undefined, found: {} },
  { what: 'of another form leaves a note', text: '{"request":"x"}', found: { note: expect.stringContaining('form') } },
  {
    what: 'that is no JSON leaves a note',
    text: '{"request":"\\x"}',
    found: { note: expect.stringContaining('form') },
  },
])('a document of the database $what', async ({ text, found }) => {
  const row = logRow({ document: 'database' });
  expect(await findContent(row, given(text))).toEqual(found);
  expect(await readContent(row, given(text))).toEqual('content' in found ? CONTENT : undefined);
});

test.each<{ what: string; over: object; found: object }>([
  { what: 'of the known form is shown', over: {}, found: { content: CONTENT } },
  { what: 'of another log leaves a note', over: { id: 'x' }, found: { note: expect.stringContaining('this log') } },
  {
    what: 'of another form leaves a note',
    over: { content: { response: [] } },
    found: { note: expect.stringContaining('form') },
  },
])('an object $what', async ({ over, found }) => {
  const row = logRow({ document: KEY });
  const text = JSON.stringify({ id: row.id, workspace: row.workspace, content: CONTENT, ...over });
  expect(await findContent(row, given(text))).toEqual(found);
});
