/** Files of the gateway's own, or of a provider. */
import { isAnthropicClient } from './models/anthropic-list.ts';
import type { ErrorSource } from './operation.ts';
import { ownResourceOperation } from './resource.ts';

/** Both APIs have these paths. */
const errors = (request: ErrorSource) => (isAnthropicClient(request) ? 'messages' : 'openai');

export const createFile = ownResourceOperation('createFile', { route: { method: 'POST', path: '/v1/files' }, errors });
export const listFiles = ownResourceOperation('listFiles', { route: { method: 'GET', path: '/v1/files' }, errors });
export const getFile = ownResourceOperation('getFile', {
  route: { method: 'GET', path: '/v1/files/:file_id' },
  errors,
});
export const getFileContent = ownResourceOperation('getFileContent', {
  route: { method: 'GET', path: '/v1/files/:file_id/content' },
  reportsRows: 'output',
  errors,
});
export const deleteFile = ownResourceOperation('deleteFile', {
  route: { method: 'DELETE', path: '/v1/files/:file_id' },
  errors,
});
