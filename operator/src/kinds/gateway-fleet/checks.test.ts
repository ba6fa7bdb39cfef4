import { formatPath } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import { fleetIssues } from './checks.ts';
import { aFleet } from './testing.ts';

const urlSecretRef = { name: 'redis', key: 'url' };

describe('a fleet', () => {
  test.for([
    { rule: 'may say nothing', spec: {}, issues: [] },
    { rule: 'may have a Redis', spec: { stores: { redis: { urlSecretRef } } }, issues: [] },
    {
      rule: 'has no PostgreSQL yet',
      spec: { stores: { postgres: { urlSecretRef } } },
      issues: ['unsupported spec.stores.postgres'],
    },
    {
      rule: 'has no object store yet',
      spec: { stores: { s3: { bucket: 'b', region: 'r' } } },
      issues: ['unsupported spec.stores.s3'],
    },
    {
      rule: 'has one Redis',
      spec: { stores: { redis: { urlSecretRef, cacheUrlSecretRef: urlSecretRef } } },
      issues: ['unsupported spec.stores.redis.cacheUrlSecretRef'],
    },
    {
      rule: 'cannot close yet',
      spec: { storeFailurePolicy: 'closed' },
      issues: ['unsupported spec.storeFailurePolicy'],
    },
    {
      rule: 'listens once',
      spec: {
        listeners: [
          { name: 'a', port: 8787 },
          { name: 'b', port: 8080 },
        ],
      },
      issues: ['unsupported spec.listeners'],
    },
    {
      rule: 'does not set what the operator sets',
      spec: {
        env: [
          { name: 'HTTPS_PROXY', value: 'http://proxy:1' },
          { name: 'GATEHOUSE_FLEET', value: 'other' },
          { name: 'GATEHOUSE_API_SERVER', value: 'https://elsewhere' },
        ],
      },
      issues: ['invalid spec.env[1].name', 'invalid spec.env[2].name'],
    },
    { rule: 'may set a URL of Redis', spec: { env: [{ name: 'REDIS_URL', value: 'redis://r' }] }, issues: [] },
    {
      rule: 'sets a URL of Redis once',
      spec: { stores: { redis: { urlSecretRef } }, env: [{ name: 'REDIS_URL', value: 'redis://r' }] },
      issues: ['invalid spec.env[0].name'],
    },
    {
      rule: 'may set the variable of a limit',
      spec: { limits: { jsonDepth: 100 }, env: [{ name: 'MAX_JSON_PAYLOAD_SIZE_IN_MB', value: '8' }] },
      issues: [],
    },
    {
      rule: 'sets a limit once',
      spec: { limits: { bodyMebibytes: 16 }, env: [{ name: 'MAX_JSON_PAYLOAD_SIZE_IN_MB', value: '8' }] },
      issues: ['invalid spec.env[0].name'],
    },
  ])('$rule', ({ spec, issues }) => {
    expect(fleetIssues(aFleet(spec)).map(({ code, path }) => `${code} ${formatPath(path)}`)).toEqual(issues);
  });
});
