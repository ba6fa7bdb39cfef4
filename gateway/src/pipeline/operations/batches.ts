/** Batches of the gateway's own, or of a provider. */
import { ownResourceOperation } from './resource.ts';

/** Its models are named by the rows of a file. */
export const createBatch = ownResourceOperation('createBatch', {
  route: { method: 'POST', path: '/v1/batches' },
  bodies: ['json'],
  model: 'unknown',
  createsBatch: true,
});
export const listBatches = ownResourceOperation('listBatches', { route: { method: 'GET', path: '/v1/batches' } });
export const getBatch = ownResourceOperation('getBatch', { route: { method: 'GET', path: '/v1/batches/:batch_id' } });
export const getBatchOutput = ownResourceOperation('getBatchOutput', {
  route: { method: 'GET', path: '/v1/batches/:batch_id/output' },
  reportsRows: 'output',
});
export const cancelBatch = ownResourceOperation('cancelBatch', {
  route: { method: 'POST', path: '/v1/batches/:batch_id/cancel' },
});
