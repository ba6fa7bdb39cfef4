import { createBoundedMap } from './bounded-map.ts';
import type { FilePart } from './multipart.ts';

const MAX_NAME_CHARACTERS = 512;
const MAX_FILES = 1_000;
const MAX_FILE_BYTES = 64 * 1024 * 1024;

export interface Stored<About> {
  readonly about: About;
  /** Empty for what is no file. */
  readonly content: Buffer;
}

/** What clients store, by id; `About` is a JSON value. Drops the oldest entries beyond its bounds. */
export interface Store<About> {
  get(id: string): Stored<About> | undefined;
  /** An entry that alone is larger than the bytes of the store is not kept. */
  set(id: string, about: About, content?: Buffer): void;
  delete(id: string): boolean;
  /** What is said of each entry, oldest first. */
  list(): readonly About[];
}

const NO_CONTENT = Buffer.alloc(0);

/**
 * Keeps `about` as text, so that an entry takes the bytes that it counts: a parsed value can take a multiple, and a string that was
 * cut out of a request keeps all of it.
 */
export function createStore<About>(bounds: { readonly maxEntries: number; readonly maxBytes: number }): Store<About> {
  const entries = createBoundedMap<string, { readonly text: Buffer; readonly content: Buffer }>(bounds);
  // `set` alone writes texts, and takes nothing but `About`
  const read = (text: Buffer): About => JSON.parse(text.toString()) as About;
  return {
    get(id) {
      const entry = entries.get(id);
      return entry === undefined ? undefined : { about: read(entry.text), content: entry.content };
    },
    set(id, about, content = NO_CONTENT) {
      const text = Buffer.from(JSON.stringify(about));
      entries.set(id, { text, content }, text.length + content.length);
    },
    delete: entries.delete,
    list: () => entries.values().map(({ text }) => read(text)),
  };
}

/** The newest 1,000 files, 64 MiB at most with all that is said of them. */
export function createFileStore<About>(): Store<About> {
  return createStore({ maxEntries: MAX_FILES, maxBytes: MAX_FILE_BYTES });
}

/** The content of an upload in memory of its own: a part is a view of the whole body, which would be kept with it. */
export function ownContent(part: FilePart): Buffer {
  return Buffer.from(part.bytes);
}

/** What is wrong with a name of more than 512 characters, else nothing. */
export function faultOfName(name: string): string | undefined {
  return name.length <= MAX_NAME_CHARACTERS
    ? undefined
    : `a name of at most ${MAX_NAME_CHARACTERS} characters is expected`;
}
