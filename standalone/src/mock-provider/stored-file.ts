import { type BoundedMap, createBoundedMap } from './bounded-map.ts';
import type { FilePart } from './multipart.ts';

const MAX_FILES = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A file with its content; `about` is what the API of the provider says of it. */
export interface StoredFile<About> {
  readonly about: About;
  readonly contentType: string;
  readonly content: Buffer;
}

export type FileStore<About> = BoundedMap<string, StoredFile<About>>;

/** The newest 1,000 files, 64 MiB at most. A file that alone is larger is not kept. */
export function createFileStore<About>(): FileStore<About> {
  return createBoundedMap({ maxEntries: MAX_FILES, maxBytes: MAX_BYTES });
}

export function storeFile<About>(store: FileStore<About>, id: string, file: StoredFile<About>): void {
  store.set(id, file, file.content.length);
}

/** The content of an upload in memory of its own: a part is a view of the whole body, which would be kept with it. */
export function ownContent(part: FilePart): Buffer {
  return Buffer.from(part.bytes);
}
