import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { leavesOf, VALUES } from '../../operator/gen/index.ts';
import { CHART, helm, NAMESPACE, RELEASE, renderText, type Values } from './helm.ts';
import { EVERYTHING, SIGN_IN, withValue } from './values.ts';

const leaves = [...leavesOf(VALUES)].map(([path, leaf]) => ({ path, ...leaf }));

const WITH_TLS: Values = {
  defaultFleet: { spec: { listeners: [{ name: 'https', port: 8443, tlsSecretRef: { name: 'tls' } }] } },
};
const OVER_TLS: Values = {
  ...WITH_TLS,
  httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], backendTLS: { enabled: true } },
};

const IN_BUCKET: Values = {
  records: { postgres: { urlSecretRef: { name: 'logs', key: 'url' } }, s3: { bucket: 'logs' } },
};

const ROLE = 'arn:aws:iam::123456789012:role/logs';
const bucketWith = (s3: Values): Values => withValue(IN_BUCKET, 'records.s3', { bucket: 'logs', ...s3 });

/** Where a value needs another one to count. */
const NEEDED: Readonly<Record<string, Values>> = {
  'postgres.enabled': { management: {} },
  'httpRoute.backendTLS.enabled': WITH_TLS,
  'httpRoute.backendTLS.hostname': OVER_TLS,
  'httpRoute.backendTLS.caConfigMap': OVER_TLS,
  'networkPolicies.nodeCIDRs': { operator: { hostNetwork: true } },
  'operator.serviceAccount.create': { operator: { serviceAccount: { name: 'mine' } } },
  'postgres.caConfigMap': { postgres: { urlSecretRef: { name: 'database', key: 'url' } } },
  'records.s3.region': IN_BUCKET,
  'records.s3.endpoint': IN_BUCKET,
  'records.s3.pathFormat': IN_BUCKET,
  'records.s3.secretName': IN_BUCKET,
  'records.s3.roleArn': IN_BUCKET,
  'records.s3.externalId': bucketWith({ roleArn: ROLE }),
  'records.s3.caSecretRef': IN_BUCKET,
  'redis.passwordSecretRef': { redis: { urlSecretRef: { name: 'redis', key: 'url' } } },
};

/** Where the default is refused. */
const INSTEAD: Readonly<Record<string, unknown>> = {
  'httpRoute.parentRefs': [{ name: 'internal' }],
  'management.signIn.publicUrl': 'https://other.example',
  'management.signIn.clientId': 'other',
  'management.signIn.clientSecretRef': { name: 'other', key: 'secret' },
};

describe('a value', () => {
  test.for(leaves)('$path changes what is rendered', async ({ path, fallback, example }) => {
    const values = { ...EVERYTHING, ...NEEDED[path] };
    const texts = await Promise.all(
      [INSTEAD[path] ?? fallback, example].map((value) => renderText(withValue(values, path, value))),
    );
    expect(texts[0]).not.toBe(texts[1]);
  });

  test('used by a template is declared', () => {
    const templates = globSync('templates/**', { cwd: CHART, withFileTypes: true }).filter((file) => file.isFile());
    const text = templates.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n');
    const used = new Set(
      [...text.matchAll(/\.Values\.([A-Za-z][A-Za-z\d.]*[A-Za-z\d])/g)].map(([, path = '']) => path),
    );
    const known = (path: string): boolean =>
      leaves.some((leaf) => leaf.path === path || leaf.path.startsWith(`${path}.`) || path.startsWith(`${leaf.path}.`));
    expect(used.size).toBeGreaterThan(leaves.length / 2);
    expect([...used].filter((path) => !known(path))).toEqual([]);
  });

  test.for([
    { rule: 'that does not exist', values: { operator: { replica: 3 } } },
    { rule: 'of the wrong type', values: { operator: { replicas: 'two' } } },
    { rule: 'that is no digest', values: { gateway: { image: { digest: 'sha256:ab' } } } },
    { rule: 'that is no role', values: bucketWith({ roleArn: 'logs' }) },
    { rule: 'of an external id that no role asks for', values: bucketWith({ externalId: 'gateway' }) },
    { rule: 'that is no external id', values: bucketWith({ roleArn: ROLE, externalId: 'a b' }) },
    { rule: 'out of bounds', values: { operator: { replicas: 0 } } },
    { rule: 'that is no spec of a fleet', values: { defaultFleet: { spec: { replica: 3 } } } },
    { rule: 'of an account that has no name', values: { operator: { serviceAccount: { create: false } } } },
    {
      rule: 'of an issuer without a client',
      values: { management: { signIn: { ...SIGN_IN, clientId: '' } } },
    },
    {
      rule: 'of an issuer without a database',
      values: { management: { signIn: SIGN_IN }, postgres: { enabled: false } },
    },
    { rule: 'of a route to no Gateway', values: { httpRoute: { enabled: true } } },
    {
      rule: 'of a route over TLS to a listener without it',
      values: { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], backendTLS: { enabled: true } } },
    },
    {
      rule: 'of a timeout without a unit',
      values: { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], requestTimeout: '60' } },
    },
    {
      rule: 'of a request log that is neither asked for nor left to the chart',
      values: { records: { postgres: { enabled: 'maybe' } } },
    },
    { rule: 'that is no address range', values: { networkPolicies: { nodeCIDRs: ['10.0.0.1'] } } },
    {
      rule: 'of a password that gateways would not know',
      values: { redis: { passwordSecretRef: { name: 'r', key: 'p' } } },
    },
  ])('$rule is refused', async ({ values }) => {
    expect(await helm(['template', RELEASE, CHART, '--namespace', NAMESPACE], { values })).toMatchObject({ code: 1 });
  });

  test.for([
    { rule: 'that Helm adds for charts of charts', values: { global: { any: 1 } } },
    { rule: 'that null takes away', values: { runAsUser: null } },
  ])('$rule is not', async ({ values }) => {
    expect(await helm(['template', RELEASE, CHART, '--namespace', NAMESPACE], { values })).toMatchObject({ code: 0 });
  });
});
