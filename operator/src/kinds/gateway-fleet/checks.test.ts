import { formatPath } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import { fleetIssues } from './checks.ts';
import { aFleet } from './testing.ts';

const ORGANISATION = { fleetNamespaces: new Set(['gatehouse-gateways']) };
const urlSecretRef = { name: 'redis', key: 'url' };

describe('a fleet', () => {
  test.for([
    { rule: 'may say nothing', spec: {}, issues: [] },
    { rule: 'may have a Redis', spec: { stores: { redis: { urlSecretRef } } }, issues: [] },
    {
      rule: 'may keep files and batches',
      spec: { stores: { postgres: { urlSecretRef }, s3: { bucket: 'b', region: 'r' } } },
      issues: [],
    },
    {
      rule: 'says in its fields alone where files and batches are',
      spec: {
        stores: { postgres: { urlSecretRef }, s3: { bucket: 'b', region: 'r' } },
        env: [
          { name: 'GATEHOUSE_BATCH_DATABASE_URL', value: 'postgres://a' },
          { name: 'GATEHOUSE_BATCH_S3_ENDPOINT', value: 'http://a' },
          { name: 'GATEHOUSE_BATCH_MAX_ROWS', value: '5' },
        ],
      },
      issues: ['invalid spec.env[0].name', 'invalid spec.env[1].name'],
    },
    {
      rule: 'may have another Redis for cached answers',
      spec: { stores: { redis: { urlSecretRef, cacheUrlSecretRef: { name: 'cache', key: 'url' } } } },
      issues: [],
    },
    { rule: 'may refuse while Redis is away', spec: { storeFailurePolicy: 'closed' }, issues: [] },
    {
      rule: 'says in its field alone what happens while Redis is away',
      spec: { env: [{ name: 'GATEHOUSE_STORE_FAILURE_POLICY', value: 'closed' }] },
      issues: ['invalid spec.env[0].name'],
    },
    {
      rule: 'sets a URL of the Redis for cached answers once',
      spec: {
        stores: { redis: { urlSecretRef, cacheUrlSecretRef: urlSecretRef } },
        env: [{ name: 'REDIS_CACHE_URL', value: 'redis://r' }],
      },
      issues: ['invalid spec.env[0].name'],
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
      rule: 'may set the variable of header aliases',
      spec: { env: [{ name: 'GATEHOUSE_HEADER_ALIASES', value: 'x-acme-' }] },
      issues: [],
    },
    {
      rule: 'sets header aliases once',
      spec: { headerAliases: ['x-acme-'], env: [{ name: 'GATEHOUSE_HEADER_ALIASES', value: 'x-acme-' }] },
      issues: ['invalid spec.env[0].name'],
    },
    {
      rule: 'may name a collector by variables',
      spec: { env: [{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector:4318' }] },
      issues: [],
    },
    {
      rule: 'names a collector once',
      spec: {
        tracing: { endpoint: 'http://collector:4318' },
        env: [
          { name: 'OTEL_EXPORTER_OTLP_HEADERS', value: 'a=b' },
          { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://other:4318' },
          { name: 'OTEL_TRACES_SAMPLER', value: 'always_on' },
        ],
      },
      issues: ['invalid spec.env[1].name', 'invalid spec.env[2].name'],
    },
    {
      rule: 'names the database of records once',
      spec: {
        records: { postgres: { urlSecretRef } },
        env: [
          { name: 'GATEHOUSE_LOGS_DATABASE_URL', value: 'postgres://a' },
          { name: 'GATEHOUSE_LOGS_RETENTION_DAYS', value: '1' },
          { name: 'GATEHOUSE_LOGS_QUEUE_BYTES', value: '1048576' },
        ],
      },
      issues: ['invalid spec.env[0].name', 'invalid spec.env[1].name'],
    },
    {
      rule: 'may set the variable of a limit',
      spec: { limits: { jsonDepth: 100 }, env: [{ name: 'MAX_JSON_PAYLOAD_SIZE_IN_MB', value: '8' }] },
      issues: [],
    },
    {
      rule: 'may set the variable of the overload',
      spec: { env: [{ name: 'GATEHOUSE_INSPECT_STREAM_FOR_OVERLOAD', value: 'true' }] },
      issues: [],
    },
    {
      rule: 'sets the overload once',
      spec: {
        inspectStreamForOverload: false,
        env: [{ name: 'GATEHOUSE_INSPECT_STREAM_FOR_OVERLOAD', value: 'true' }],
      },
      issues: ['invalid spec.env[0].name'],
    },
    {
      rule: 'sets a limit once',
      spec: { limits: { bodyMebibytes: 16 }, env: [{ name: 'MAX_JSON_PAYLOAD_SIZE_IN_MB', value: '8' }] },
      issues: ['invalid spec.env[0].name'],
    },
  ])('$rule', ({ spec, issues }) => {
    expect(fleetIssues(aFleet(spec), ORGANISATION).map(({ code, path }) => `${code} ${formatPath(path)}`)).toEqual(
      issues,
    );
  });
});

describe('what only fleets of the organisation may have', () => {
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: {} };
  const CA = { name: 'ca', secret: { secretName: 'ca' } };
  test.for([
    {
      rule: 'volumes: their Secrets could be read by the image of the fleet',
      spec: { pod: { volumes: [CA], volumeMounts: [{ name: 'ca', mountPath: '/etc/ca' }] } },
      issues: ['spec.pod.volumes', 'spec.pod.volumeMounts'],
    },
    {
      rule: 'affinity to pods of other namespaces: it keeps them from being scheduled',
      spec: {
        pod: {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [term, { ...term, namespaceSelector: {} }],
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 1, podAffinityTerm: { ...term, namespaces: ['other'] } },
              ],
            },
          },
        },
      },
      issues: [
        'spec.pod.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].namespaceSelector',
        'spec.pod.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.namespaces',
      ],
    },
    {
      rule: 'labels of the platform',
      spec: {
        service: { labels: { 'service.kubernetes.io/service-proxy-name': 'none', 'x.k8s.io/y': 'z', team: 'a' } },
      },
      issues: ['spec.service.labels.service.kubernetes.io/service-proxy-name', 'spec.service.labels.x.k8s.io/y'],
    },
  ])('$rule', ({ spec, issues }) => {
    const of = (namespace: string) => fleetIssues(aFleet(spec, { namespace }), ORGANISATION);
    expect(of('gatehouse-gateways')).toEqual([]);
    expect(of('team-a').map(({ path }) => formatPath(path))).toEqual(issues);
    expect(new Set(of('team-a').map(({ code }) => code))).toEqual(new Set(['invalid']));
  });

  test('is not affinity within their own namespace', () => {
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    expect(fleetIssues(aFleet({ pod: { affinity } }, { namespace: 'team-a' }), ORGANISATION)).toEqual([]);
  });

  test.for(['gatehouse.dev/fleet', 'app.kubernetes.io/managed-by', 'sub.gatehouse.dev/x'])(
    'nor does any fleet set the label %s of its Service',
    (name) => {
      const issues = fleetIssues(aFleet({ service: { labels: { [name]: 'x' } } }), ORGANISATION);
      expect(issues).toMatchObject([{ code: 'invalid', path: ['spec', 'service', 'labels', name] }]);
    },
  );
});
