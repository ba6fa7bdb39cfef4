/** Documents of logs, wherever their rows say they are. */
import { isObject, parseJson } from '@gatehouse/crds';
import { isLogContent, type LogContent, type LogRow, parseLogContent } from '@gatehouse/crds/logs';
import { DatabaseAway } from '../database/index.ts';
import type { LogReader } from './reader.ts';

/** A store of objects that gateways write documents to. */
export interface LogObjects {
  /** The text of an object; undefined: there is none. Rejects with LogObjectsAway. */
  get(key: string): Promise<string | undefined>;
}

/** The store of documents cannot be reached, or refuses to show one. */
export class LogObjectsAway extends DatabaseAway {}

/** What the request log is read from. */
export interface LogSource {
  readonly reader: LogReader;
  /** Absent: documents are in the database. */
  readonly objects?: LogObjects | undefined;
}

/** `note`: why there is no content, although some was kept. */
export interface FoundContent {
  readonly content?: LogContent | undefined;
  readonly note?: string | undefined;
}

const NO_STORE = 'Its document is in a store of objects, which this management API does not know (LOG_STORE)';
const GONE = 'Its document is no longer in the store of objects, or was never written there';
const BROKEN = 'Its document in the store of objects is not one of this log';
const MALFORMED = 'Its document does not have the form that gateways write';

/** What documents are read from. */
export interface DocumentSource extends Pick<LogSource, 'objects'> {
  /** Reads those in the database. */
  readonly reader: Pick<LogReader, 'content'>;
}

export async function findContent(row: LogRow, { reader, objects }: DocumentSource): Promise<FoundContent> {
  if (row.document === 'none') return {};
  if (row.document === 'database') {
    const text = await reader.content(row);
    return text === undefined ? {} : orNote(parseLogContent(text));
  }
  if (objects === undefined) return { note: NO_STORE };
  const text = await objects.get(row.document);
  if (text === undefined) return { note: GONE };
  const document = documentIn(text, row);
  if (document === undefined) return { note: BROKEN };
  return orNote(isLogContent(document['content']) ? document['content'] : undefined);
}

const orNote = (content: LogContent | undefined): FoundContent =>
  content === undefined ? { note: MALFORMED } : { content };

/** Undefined: none was kept, or it is gone. */
export const readContent = async (row: LogRow, source: LogSource): Promise<LogContent | undefined> =>
  (await findContent(row, source)).content;

/** Others may have written to the store, too. */
function documentIn(text: string, { id, workspace }: LogRow) {
  try {
    const document = parseJson(text);
    return isObject(document) && document['id'] === id && document['workspace'] === workspace ? document : undefined;
  } catch {
    return undefined;
  }
}
