/** Batches of the gateway's own, or of a provider, to which these calls are passed as they are. */
import { ownOrProxied } from './own-or-proxied.ts';

export const createBatch = ownOrProxied('createBatch', 'POST', '/v1/batches');
export const listBatches = ownOrProxied('listBatches', 'GET', '/v1/batches');
export const getBatch = ownOrProxied('getBatch', 'GET', '/v1/batches/:batch_id');
export const getBatchOutput = ownOrProxied('getBatchOutput', 'GET', '/v1/batches/:batch_id/output');
export const cancelBatch = ownOrProxied('cancelBatch', 'POST', '/v1/batches/:batch_id/cancel');
