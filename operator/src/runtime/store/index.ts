export { bareMetadata, type MetadataWanted } from './bare-metadata.ts';
export { type Change, createStore, type Listener, type Store, type StoreOptions, type StoreWriter } from './store.ts';
export type { IndexFunction } from './store-index.ts';
