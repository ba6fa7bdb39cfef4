/** Files of the gateway's own, or of a provider. */
import { ownResourceOperation } from './resource.ts';

export const createFile = ownResourceOperation('createFile', { route: { method: 'POST', path: '/v1/files' } });
export const listFiles = ownResourceOperation('listFiles', { route: { method: 'GET', path: '/v1/files' } });
export const getFile = ownResourceOperation('getFile', { route: { method: 'GET', path: '/v1/files/:file_id' } });
export const getFileContent = ownResourceOperation('getFileContent', {
  route: { method: 'GET', path: '/v1/files/:file_id/content' },
});
export const deleteFile = ownResourceOperation('deleteFile', {
  route: { method: 'DELETE', path: '/v1/files/:file_id' },
});
