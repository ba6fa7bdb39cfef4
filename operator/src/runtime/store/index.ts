export { type Change, createStore, type Listener, type Store, type StoreOptions, type StoreWriter } from './store.ts';
export type { IndexFunction } from './store-index.ts';
