import { embedText } from '../answer/index.ts';
import type { Exchange, Route } from '../exchange.ts';
import { type JsonObject, readCount, readObject, readString, readStrings } from '../json.ts';
import { json, type Reply, refuse } from '../reply.ts';
import type { Seed } from '../seed.ts';
import { createStore, type Store } from '../store.ts';
import { openai, refuseField, refuseLongName } from './errors.ts';
import type { OpenaiFiles } from './files.ts';
import { listPage } from './page.ts';

const MAX_STORES = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 500; // of one store
const SEARCH_DIMENSIONS = 256;
const SEARCHED_CHARACTERS = 4_096; // of each file
const USUAL_RESULTS = 10;
const MAX_RESULTS = 50; // bound of `max_num_results` in the API

interface VectorStore {
  readonly id: string;
  readonly createdSeconds: number;
  readonly name: string | null;
  readonly metadata: JsonObject;
  readonly fileIds: readonly string[];
}

interface Places {
  readonly stores: Store<VectorStore>;
  readonly files: OpenaiFiles;
}

type StoreAnswer = (store: VectorStore, exchange: Exchange, body: JsonObject) => Reply;

/** Vector stores of stored files; a search compares the words of the query with those at the beginning of each file. */
export function createVectorStoreRoutes(files: OpenaiFiles): readonly Route[] {
  const places: Places = { stores: createStore({ maxEntries: MAX_STORES, maxBytes: MAX_BYTES }), files };
  const { stores } = places;
  const at = (method: 'GET' | 'DELETE', rest: string, answer: StoreAnswer): Route => ({
    method,
    path: new RegExp(`^/v1/vector_stores/([^/]+)${rest}$`),
    dialect: openai,
    input: 'none',
    handle: (exchange) => withStore(places, exchange, (store) => answer(store, exchange, {})),
  });
  const post = (rest: string, answer: StoreAnswer): Route => ({
    method: 'POST',
    path: new RegExp(`^/v1/vector_stores/([^/]+)${rest}$`),
    dialect: openai,
    input: 'json',
    handle: (exchange, body) => withStore(places, exchange, (store) => answer(store, exchange, body)),
  });
  return [
    {
      method: 'POST',
      path: '/v1/vector_stores',
      dialect: openai,
      input: 'json',
      handle: ({ seed }, body) => keep(places, toStore(seed, body)),
    },
    {
      method: 'GET',
      path: '/v1/vector_stores',
      dialect: openai,
      input: 'none',
      handle: ({ query }) => listPage(stores.list().map(toStoreObject), query),
    },
    at('GET', '', (store) => json(toStoreObject(store))),
    at('DELETE', '', ({ id }) => {
      stores.delete(id);
      return json({ id, object: 'vector_store.deleted', deleted: true });
    }),
    at('GET', '/files', (store, { query }) =>
      listPage(
        store.fileIds.map((id) => toStoreFile(places, store, id)),
        query,
      ),
    ),
    at('GET', '/files/([^/]+)', (store, { params: [, id = ''] }) =>
      withFileOf(store, id, () => json(toStoreFile(places, store, id))),
    ),
    at('DELETE', '/files/([^/]+)', (store, { params: [, id = ''] }) =>
      withFileOf(store, id, () => {
        keep(places, { ...store, fileIds: store.fileIds.filter((other) => other !== id) });
        return json({ id, object: 'vector_store.file.deleted', deleted: true });
      }),
    ),
    post('', (store, _exchange, body) => keep(places, changeStore(store, body))),
    post('/files', (store, _exchange, body) => addFile(places, store, readString(body, 'file_id'))),
    post('/search', (store, _exchange, body) => searchStore(places, store, body)),
  ];
}

function toStore(seed: Seed, body: JsonObject): VectorStore {
  return {
    id: seed.id('vs_'),
    createdSeconds: seed.createdSeconds,
    name: readString(body, 'name') ?? null,
    metadata: readObject(body, 'metadata') ?? {},
    fileIds: [...new Set(readStrings(body, 'file_ids'))].slice(0, MAX_FILES),
  };
}

function changeStore(store: VectorStore, body: JsonObject): VectorStore {
  return {
    ...store,
    name: readString(body, 'name') ?? store.name,
    metadata: readObject(body, 'metadata') ?? store.metadata,
  };
}

function keep({ stores }: Places, store: VectorStore): Reply {
  const refusal = refuseLongName({ name: store.name ?? '' });
  if (refusal !== undefined) return refusal;
  stores.set(store.id, store);
  return json(toStoreObject(store));
}

function toStoreObject({ id, createdSeconds, name, metadata, fileIds }: VectorStore) {
  const total = fileIds.length;
  return {
    id,
    object: 'vector_store' as const,
    created_at: createdSeconds,
    last_active_at: createdSeconds,
    name,
    metadata,
    status: 'completed' as const,
    usage_bytes: 0,
    file_counts: { in_progress: 0, completed: total, failed: 0, cancelled: 0, total },
  };
}

function addFile(places: Places, store: VectorStore, id: string | undefined): Reply {
  if (id === undefined || places.files.get(id) === undefined) {
    return refuseField('file_id', 'file_id must be the id of an uploaded file');
  }
  const fileIds = [...store.fileIds.filter((other) => other !== id), id];
  if (fileIds.length > MAX_FILES) return refuseField('file_id', `a store has at most ${MAX_FILES} files`);
  keep(places, { ...store, fileIds });
  return json(toStoreFile(places, store, id));
}

function toStoreFile({ files }: Places, store: VectorStore, id: string) {
  return {
    id,
    object: 'vector_store.file' as const,
    created_at: store.createdSeconds,
    vector_store_id: store.id,
    usage_bytes: files.get(id)?.content.length ?? 0,
    status: 'completed' as const,
    last_error: null,
    attributes: {},
  };
}

function searchStore({ files }: Places, { fileIds }: VectorStore, body: JsonObject): Reply {
  const query = readStrings(body, 'query');
  if (query.length === 0) return refuseField('query', 'query is required');
  const wanted = embedText(query.join(' '), SEARCH_DIMENSIONS);
  const found = fileIds.flatMap((id) => {
    const file = files.get(id);
    if (file === undefined) return [];
    const text = file.content.toString('utf8', 0, SEARCHED_CHARACTERS);
    const vector = embedText(text, SEARCH_DIMENSIONS);
    const score = wanted.reduce((sum, value, index) => sum + value * (vector[index] ?? 0), 0);
    const content = [{ type: 'text', text }];
    return [{ file_id: id, filename: file.about.filename, score: Math.max(0, score), attributes: {}, content }];
  });
  const limit = Math.min(readCount(body, 'max_num_results') ?? USUAL_RESULTS, MAX_RESULTS);
  return json({
    object: 'vector_store.search_results.page',
    search_query: query,
    data: found.toSorted((a, b) => b.score - a.score).slice(0, limit),
    has_more: false,
    next_page: null,
  });
}

function withStore({ stores }: Places, { params: [id = ''] }: Exchange, answer: (store: VectorStore) => Reply): Reply {
  const stored = stores.get(id);
  return stored === undefined ? refuse(404, `Vector store with id '${id}' not found.`) : answer(stored.about);
}

function withFileOf(store: VectorStore, id: string, answer: () => Reply): Reply {
  return store.fileIds.includes(id) ? answer() : refuse(404, `No file with id '${id}' in the vector store.`);
}
