/** Message batches in the format of Anthropic's own API: docs/behaviour/files-and-batches.md#message-batches. */
import { resourceOperation } from './resource.ts';

const BATCHES = '/v1/messages/batches';
const BATCH = `${BATCHES}/:batch_id`;
const errors = 'messages';

const createMessageBatch = resourceOperation('createMessageBatch', {
  route: { method: 'POST', path: BATCHES },
  bodies: ['json'],
  model: 'rows',
  createsBatch: true,
  errors,
});
const listMessageBatches = resourceOperation('listMessageBatches', { route: { method: 'GET', path: BATCHES }, errors });
const getMessageBatch = resourceOperation('getMessageBatch', { route: { method: 'GET', path: BATCH }, errors });
const getMessageBatchResults = resourceOperation('getMessageBatchResults', {
  route: { method: 'GET', path: `${BATCH}/results` },
  reportsRows: 'messages',
  errors,
});
const cancelMessageBatch = resourceOperation('cancelMessageBatch', {
  route: { method: 'POST', path: `${BATCH}/cancel` },
  errors,
});
const deleteMessageBatch = resourceOperation('deleteMessageBatch', {
  route: { method: 'DELETE', path: BATCH },
  errors,
});

export const MESSAGE_BATCHES = {
  createMessageBatch,
  listMessageBatches,
  getMessageBatch,
  getMessageBatchResults,
  cancelMessageBatch,
  deleteMessageBatch,
} as const;
