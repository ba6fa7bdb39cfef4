import { describe, expect, test } from 'vitest';
import { proxiedAs } from './checked-as.ts';

describe('guardrails take a proxied call', () => {
  test.for([
    { call: 'POST /v1/batches', type: 'createBatch' },
    { call: 'POST /v1/batches/', type: 'createBatch' },
    { call: 'POST /v1/proxy/batches', type: 'createBatch' },
    { call: 'POST /v1/proxy/v1/batches', type: 'createBatch' },
    { call: 'POST /v1/batches/batch_1/cancel', type: 'proxy' },
    { call: 'POST /v1/fine_tuning/jobs', type: 'createFinetune' },
    { call: 'POST /v1/proxy/fine_tuning/jobs', type: 'createFinetune' },
    { call: 'POST /v1/fine_tuning/jobs/job_1/cancel', type: 'proxy' },
    { call: 'POST /v1/files', type: 'proxy' },
    { call: 'POST /v1/messages/batches', type: 'proxy' },
    { call: 'PUT /v1/batches', type: 'proxy' },
    { call: 'DELETE /v1/files/file_1', type: 'proxy' },
    { call: 'GET /v1/batches', type: undefined },
    { call: 'GET /v1/files', type: undefined },
    { call: 'HEAD /v1/files', type: undefined },
  ])('$call for $type', ({ call, type }) => {
    const [method = '', path = ''] = call.split(' ');
    expect(proxiedAs({ method, path })).toBe(type);
  });
});
