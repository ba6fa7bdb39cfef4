/** Files of the gateway's own, or of a provider, to which these calls are passed as they are. */
import { ownOrProxied } from './own-or-proxied.ts';

export const createFile = ownOrProxied('createFile', 'POST', '/v1/files');
export const listFiles = ownOrProxied('listFiles', 'GET', '/v1/files');
export const getFile = ownOrProxied('getFile', 'GET', '/v1/files/:file_id');
export const getFileContent = ownOrProxied('getFileContent', 'GET', '/v1/files/:file_id/content');
export const deleteFile = ownOrProxied('deleteFile', 'DELETE', '/v1/files/:file_id');
