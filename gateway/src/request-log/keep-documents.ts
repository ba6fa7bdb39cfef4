/** Documents of a process on their way to a store of objects. */
import { type LogRow, objectKey, type PathFormat } from '@gatehouse/crds/logs';
import type { Logger } from '../telemetry/index.ts';
import { DOCUMENT_BYTES, type DocumentStore, DocumentUploads, type UploadSettings } from './documents/index.ts';
import type { LogMetrics } from './log-metrics.ts';
import { createReport } from './report.ts';

export interface DocumentOptions {
  readonly store: DocumentStore;
  readonly format: PathFormat;
  /** 0: for ever. */
  retentionDays(): number;
  readonly uploads: UploadSettings;
}

export interface DocumentKeeper {
  /** The key of the object; undefined: it is dropped. Never fails and does not wait. */
  keep(row: LogRow, content: string): string | undefined;
  /** Of what waits. */
  bytes(): number;
  /** What a document adds to it, about. */
  bytesOf(content: string): number;
  /** Writes what is left within the time, in ms. */
  close(timeoutMs: number): Promise<void>;
}

interface KeeperParts {
  /** Of documents that wait. */
  readonly maxBytes: number;
  readonly metrics: LogMetrics;
  readonly logger: Logger;
}

const RETRY_MS = 100;
const DAY_MS = 86_400_000;
const WORDS = {
  good: 'Documents of the request log are written again',
  bad: 'Documents of the request log could not be written',
};

export function keepDocuments(options: DocumentOptions, { maxBytes, metrics, logger }: KeeperParts): DocumentKeeper {
  const { store, format, uploads: settings } = options;
  const report = createReport({ store, logger }, WORDS);
  const uploads = new DocumentUploads({
    ...{ store, settings, maxBytes, retryMs: RETRY_MS, nowMs: () => performance.now() },
    onWritten: () => {
      metrics.requestLogDocumentsWritten.add({});
      report.good();
    },
    onDropped: (reason, error) => {
      metrics.requestLogDocumentsDropped.add({ reason });
      report.bad({ dropped: 1, reason }, error);
    },
  });
  metrics.observeLogStore(() => uploads.isOpen);
  return {
    keep: (row, content) => {
      const retentionDays = options.retentionDays();
      const key = objectKey(row, { format, retentionDays });
      const keptUntilMs = retentionDays === 0 ? undefined : row.created_at + retentionDays * DAY_MS;
      return uploads.add({ key, bytes: Buffer.from(documentText(row, content)), keptUntilMs }) ? key : undefined;
    },
    bytes: () => uploads.bytes,
    bytesOf: (content) => DOCUMENT_BYTES + Buffer.byteLength(content),
    close: async (timeoutMs) => {
      await uploads.close(timeoutMs);
      await store.close();
    },
  };
}

/** A LogDocument as JSON; its content is JSON already. */
const documentText = ({ id, created_at, workspace }: LogRow, content: string): string =>
  `${JSON.stringify({ id, created_at, workspace }).slice(0, -1)},"content":${content}}`;
