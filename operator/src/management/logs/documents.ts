/** Documents of logs, wherever their rows say they are. */
import type { LogContent, LogRow } from '@gatehouse/crds/logs';
import type { LogReader } from './reader.ts';

/** A store of objects that gateways write documents to. */
export interface LogObjects {
  /** The text of an object; undefined: there is none. Rejects while the store is away. */
  get(key: string): Promise<string | undefined>;
}

/** What the request log is read from. */
export interface LogSource {
  readonly reader: LogReader;
  /** Absent: documents are in the database. */
  readonly objects?: LogObjects | undefined;
}

/** Undefined: none was kept, or it is gone. */
export async function readContent(row: LogRow, { reader, objects }: LogSource): Promise<LogContent | undefined> {
  if (row.document === 'none') return undefined;
  if (row.document === 'database') return reader.content(row);
  const text = await objects?.get(row.document);
  if (text === undefined) return undefined;
  return (JSON.parse(text) as { readonly content: LogContent }).content; // as gateways write it
}
