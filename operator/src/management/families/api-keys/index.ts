export { API_KEYS } from './api-keys.ts';
export { configNameOf } from './spec.ts';
