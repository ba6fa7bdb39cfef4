/** Fine-tuning jobs of a provider. */
import { resourceOperation } from './resource.ts';

const JOBS = '/v1/fine_tuning/jobs';

export const createFinetune = resourceOperation('createFinetune', {
  route: { method: 'POST', path: JOBS },
  bodies: ['json'],
  model: 'body',
});
export const listFinetunes = resourceOperation('listFinetunes', { route: { method: 'GET', path: JOBS } });
export const getFinetune = resourceOperation('getFinetune', { route: { method: 'GET', path: `${JOBS}/:job_id` } });
export const listFinetuneEvents = resourceOperation('listFinetuneEvents', {
  route: { method: 'GET', path: `${JOBS}/:job_id/events` },
});
export const listFinetuneCheckpoints = resourceOperation('listFinetuneCheckpoints', {
  route: { method: 'GET', path: `${JOBS}/:job_id/checkpoints` },
});
export const cancelFinetune = resourceOperation('cancelFinetune', {
  route: { method: 'POST', path: `${JOBS}/:job_id/cancel` },
});
