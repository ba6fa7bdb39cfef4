import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createEnvReader,
  ENVIRONMENT,
  type GatewaySettings,
  readEnvironment,
  toSettings,
  unservedVariables,
  type Variables,
} from './index.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-env-'));
  writeFileSync(join(folder, 'secret'), '  from-a-file\n');
  writeFileSync(join(folder, 'key.pem'), 'KEY\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settings = (variables: Variables = {}): GatewaySettings => toSettings(readEnvironment(variables));

describe('settings', () => {
  test('have their defaults', () => {
    expect(settings()).toMatchObject({
      listen: { host: undefined, port: 8787, adminPort: 8789 },
      production: false,
      serviceName: 'gatehouse',
      environmentName: 'development',
      tls: undefined,
      cors: undefined,
      headerAliases: [],
      limits: { maxJsonBytes: 32 * 1024 * 1024, replayBytes: 8 * 1024 * 1024, idleTimeoutMs: 120_000, keepAliveMs: 0 },
      drain: { acceptMs: 8_000, deadlineMs: 300_000 },
      trustedCustomHosts: undefined,
      savedConfigsOnly: false,
      inspectStreamForOverload: false,
      caps: { rootTargets: 100, conditionalRootTargets: 1_000, nestedTargets: 50 },
      savedCaps: undefined,
      headersToMask: [],
      metrics: true,
      cache: { store: 'memory' },
      redis: undefined,
      cacheRedis: undefined,
      sharedLimits: { failurePolicy: 'open', timeoutMs: 10 },
    });
  });

  test.for<{ rule: string; given: Variables; want: object }>([
    { rule: 'the port', given: { PORT: '80' }, want: { listen: { port: 80 } } },
    { rule: 'an empty value is none', given: { PORT: '' }, want: { listen: { port: 8787 } } },
    {
      rule: 'production',
      given: { NODE_ENV: 'production' },
      want: { production: true, environmentName: 'production' },
    },
    { rule: 'megabytes', given: { MAX_JSON_PAYLOAD_SIZE_IN_MB: '2' }, want: { limits: { maxJsonBytes: 2_097_152 } } },
    {
      rule: 'as many megabytes as ever',
      given: { MAX_JSON_PAYLOAD_SIZE_IN_MB: '4096' },
      want: { limits: { maxJsonBytes: 4_294_967_296 } },
    },
    {
      rule: 'limits of JSON',
      given: {
        GATEHOUSE_MAX_JSON_DEPTH: '8',
        GATEHOUSE_MAX_JSON_NODES: '1000',
        GATEHOUSE_MAX_JSON_STRING_BYTES: '1024',
      },
      want: { limits: { json: { depth: 8, nodes: 1_000, stringBytes: 1_024 } } },
    },
    {
      rule: 'trusted hosts that are set to nothing',
      given: { TRUSTED_CUSTOM_HOSTS: 'x' },
      want: { trustedCustomHosts: 'x' },
    },
    { rule: 'inline configs', given: { BLOCK_INLINE_CONFIG: ' True ' }, want: { savedConfigsOnly: true } },
    { rule: 'anything but true is false', given: { BLOCK_INLINE_CONFIG: '1' }, want: { savedConfigsOnly: false } },
    { rule: 'metrics', given: { ENABLE_PROMETHEUS: 'False' }, want: { metrics: false } },
    { rule: 'anything but false is true', given: { ENABLE_PROMETHEUS: 'no' }, want: { metrics: true } },
    {
      rule: 'masked headers',
      given: { ORGANISATION_HEADERS_TO_MASK: ' X-A, x-b,,' },
      want: { headersToMask: ['x-a', 'x-b'] },
    },
    {
      rule: 'the proxies, in lower case too',
      given: { https_proxy: 'http://p', HTTP_PROXY: 'http://q', no_proxy: 'x' },
      want: { proxy: { http: 'http://q', https: 'http://p', no: 'x' } },
    },
    {
      rule: 'CORS',
      given: { ENABLE_CORS: 'true', CORS_ALLOWED_ORIGINS: 'https://a, https://b' },
      want: { cors: { origins: ['https://a', 'https://b'], methods: '*', headers: '*', exposed: '*' } },
    },
    {
      rule: 'the overload of streams',
      given: { GATEHOUSE_INSPECT_STREAM_FOR_OVERLOAD: 'true' },
      want: { inspectStreamForOverload: true },
    },
    {
      rule: 'caps of targets, which hold for saved configs as far as they are set',
      given: { MAX_ROOT_CONFIG_TARGETS: '5' },
      want: {
        caps: { rootTargets: 5, conditionalRootTargets: 1_000, nestedTargets: 50 },
        savedCaps: { rootTargets: 5, conditionalRootTargets: Number.POSITIVE_INFINITY },
      },
    },
    {
      rule: 'CORS for all origins',
      given: { ENABLE_CORS: 'true' },
      want: { cors: { origins: ['*'] } },
    },
    {
      rule: 'header aliases',
      given: { GATEHOUSE_HEADER_ALIASES: 'x-acme-, x-other-,x-acme-', ORGANISATION_HEADERS_TO_MASK: 'X-Acme-Metadata' },
      want: { headerAliases: ['x-acme-', 'x-other-'], headersToMask: ['x-gw-metadata'] },
    },
    { rule: 'the API server', given: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, want: { apiServer: '10.0.0.1' } },
  ])('$rule', ({ given, want }) => {
    expect(settings(given)).toMatchObject(want);
  });

  test.for<{ rule: string; given: Variables; want: object }>([
    {
      rule: 'a URL',
      given: { REDIS_URL: 'redis://user:pass@cache:6380/2' },
      want: { mode: 'standalone', nodes: [{ host: 'cache', port: 6380 }], username: 'user', database: 2 },
    },
    { rule: 'a host', given: { REDIS_HOST: 'cache', REDIS_PORT: '1' }, want: { nodes: [{ host: 'cache', port: 1 }] } },
    {
      rule: 'TLS',
      given: { REDIS_HOST: 'c', REDIS_TLS_ENABLED: 'true', REDIS_TLS_CERTS: 'PEM' },
      want: { tls: { ca: 'PEM' } },
    },
    {
      rule: 'a cluster',
      given: { REDIS_MODE: 'cluster', REDIS_CLUSTER_ENDPOINTS: 'a:1, b' },
      want: {
        mode: 'cluster',
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 6379 },
        ],
      },
    },
    {
      rule: 'a store that is configured without an address',
      given: { CACHE_STORE: 'redis' },
      want: { nodes: [{ host: 'redis', port: 6379 }] },
    },
  ])('Redis: $rule', ({ given, want }) => {
    expect(settings(given)).toMatchObject({ redis: want, cache: { store: 'redis' } });
  });

  test('cached answers may be in another Redis than counters, and in one when nothing else is', () => {
    const caCerts = { REDIS_TLS_CERTS: 'PEM' };
    expect(settings({ REDIS_URL: 'redis://a', REDIS_CACHE_URL: 'rediss://b', ...caCerts })).toMatchObject({
      cache: { store: 'redis' },
      redis: { nodes: [{ host: 'a' }], tls: undefined },
      cacheRedis: { nodes: [{ host: 'b' }], tls: { ca: 'PEM' } },
    });
    expect(settings({ REDIS_URL: 'redis://a' }).cacheRedis).toMatchObject({ nodes: [{ host: 'a' }] });
    expect(settings({ REDIS_CACHE_URL: 'redis://b' })).toMatchObject({ cache: { store: 'redis' }, redis: undefined });
  });

  test('memory may be configured beside Redis', () => {
    expect(settings({ REDIS_URL: 'redis://cache', CACHE_STORE: 'memory' })).toMatchObject({
      cache: { store: 'memory' },
      redis: { nodes: [{ host: 'cache' }] },
    });
  });

  test.for<[rule: string, given: Readonly<Record<string, string>>, want: string | undefined]>([
    ['with the answers', {}, undefined],
    ['in the database of batches where answers are shared', { REDIS_URL: 'redis://a' }, 'postgres://u:pa55word@h/d'],
    ['with answers in memory', { REDIS_URL: 'redis://a', CACHE_STORE: 'memory' }, undefined],
    ['where they are asked for', { REDIS_URL: 'redis://a', GATEHOUSE_SEMANTIC_CACHE_STORE: 'answers' }, undefined],
  ])('vectors are $0', ([, given, want]) => {
    const read = settings({ ...given, GATEHOUSE_BATCH_DATABASE_URL: 'postgres://u:pa55word@h/d' });
    expect(read.cache.vectorDatabase?.reveal()).toBe(want);
    expect(JSON.stringify(read)).not.toContain('pa55word');
  });

  test('hold passwords as secrets', () => {
    const read = settings({ REDIS_HOST: 'c', REDIS_USERNAME: 'u', REDIS_PASSWORD: 'pa55word' });
    expect(read.redis?.password?.reveal()).toBe('pa55word');
    expect(JSON.stringify(read)).not.toContain('pa55word');
  });
});

describe('a value that is a path', () => {
  test('to a file is replaced by its content, except for variables that are paths by meaning', () => {
    const path = join(folder, 'secret');
    expect(settings({ TRUSTED_CUSTOM_HOSTS: path }).trustedCustomHosts).toBe('from-a-file');
    expect(createEnvReader({ AWS_ROLE_ARN: path, AWS_WEB_IDENTITY_TOKEN_FILE: path })('AWS_ROLE_ARN')).toBe(
      'from-a-file',
    );
    expect(createEnvReader({ AWS_WEB_IDENTITY_TOKEN_FILE: path })('AWS_WEB_IDENTITY_TOKEN_FILE')).toBe(path);
    const pem = join(folder, 'key.pem');
    expect(settings({ TLS_KEY_PATH: pem, TLS_CERT_PATH: pem }).tls).toEqual({
      key: 'KEY\n',
      cert: 'KEY\n',
      files: { key: pem, cert: pem },
    });
  });

  test('to nothing stays itself', () => {
    expect(settings({ TRUSTED_CUSTOM_HOSTS: '/no/such/file' }).trustedCustomHosts).toBe('/no/such/file');
  });
});

describe('an environment is refused', () => {
  test.for<{ rule: string; given: Variables; names: RegExp }>([
    { rule: 'with a port that is none', given: { PORT: 'eighty' }, names: /PORT/ },
    { rule: 'with a port that is too large', given: { PORT: '70000' }, names: /PORT/ },
    { rule: 'with a negative number', given: { REQUEST_TIMEOUT: '-1' }, names: /REQUEST_TIMEOUT/ },
    { rule: 'with an unknown level', given: { GATEHOUSE_LOG_LEVEL: 'loud' }, names: /GATEHOUSE_LOG_LEVEL/ },
    { rule: 'with several problems at once', given: { PORT: 'x', CACHE_STORE: 'disk' }, names: /PORT.*CACHE_STORE/ },
    { rule: 'with half of TLS', given: { TLS_KEY: 'k' }, names: /TLS/ },
    {
      rule: 'with a header alias of two words',
      given: { GATEHOUSE_HEADER_ALIASES: 'x-acme-ai-' },
      names: /GATEHOUSE_HEADER_ALIASES: .*like x-acme-/,
    },
    {
      rule: 'with a header alias that is taken',
      given: { GATEHOUSE_HEADER_ALIASES: 'x-acme-,x-goog-' },
      names: /GATEHOUSE_HEADER_ALIASES: .*x-goog-/,
    },
    {
      rule: 'with too many header aliases',
      given: { GATEHOUSE_HEADER_ALIASES: [...'abcdefghi'].map((letter) => `x-${letter}-`).join() },
      names: /GATEHOUSE_HEADER_ALIASES: .*at most 8/,
    },
    {
      rule: 'with a token service that is none',
      given: { AWS_ENDPOINT_URL_STS: 'sts:443' },
      names: /AWS_ENDPOINT_URL_STS/,
    },
    { rule: 'with a Redis URL of another kind', given: { REDIS_URL: 'http://x' }, names: /REDIS_URL/ },
    { rule: 'with a Redis URL for answers of another kind', given: { REDIS_CACHE_URL: 'x' }, names: /REDIS_CACHE_URL/ },
    { rule: 'with an unknown failure policy', given: { GATEHOUSE_STORE_FAILURE_POLICY: 'x' }, names: /FAILURE_POLICY/ },
    {
      rule: 'with a cluster node that is none',
      given: { REDIS_MODE: 'cluster', REDIS_CLUSTER_ENDPOINTS: 'a:b:c' },
      names: /REDIS_CLUSTER_ENDPOINTS/,
    },
  ])('$rule, by name', ({ given, names }) => {
    expect(() => settings(given)).toThrow(names);
  });

  test('without showing the value', () => {
    expect(() =>
      settings({ REDIS_PORT: 'sk-secret', PORT: 'sk-secret', AWS_ENDPOINT_URL_STS: 'https://a:sk-secret@sts' }),
    ).toThrow(expect.objectContaining({ message: expect.not.stringContaining('sk-secret') }));
  });
});

test('variables without effect are named, and those that are served are not among them', () => {
  const given = {
    OTEL_ENDPOINT: 'http://x',
    PROMETHEUS_PUSH_ENABLED: 'true',
    JWT_ENABLED: '',
    PORT: '1',
    MCP_PORT: '2',
    LOG_STORE_AWS_ROLE_ARN: 'x',
    LOG_STORE_AWS_REGION: 'x',
  };
  expect(unservedVariables(given)).toEqual([
    'LOG_STORE_AWS_REGION',
    'MCP_PORT',
    'OTEL_ENDPOINT',
    'PROMETHEUS_PUSH_ENABLED',
  ]);
  const served = Object.fromEntries(Object.keys(ENVIRONMENT.shape).map((name) => [name, 'x']));
  expect(unservedVariables(served)).toEqual([]);
});

test('every variable has a description', () => {
  for (const [name, schema] of Object.entries(ENVIRONMENT.shape)) {
    expect(schema.meta()?.description, name).toEqual(expect.any(String));
  }
});
