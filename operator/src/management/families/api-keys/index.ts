export { API_KEYS } from './api-keys.ts';
