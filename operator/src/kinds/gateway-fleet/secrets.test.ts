import { describe, expect, test } from 'vitest';
import type { SecretObject } from './kube-kinds.ts';
import { digestSecrets, missingSecrets, secretKeys } from './secrets.ts';
import { aFleet } from './testing.ts';

const fleet = aFleet({
  stores: { redis: { urlSecretRef: { name: 'redis', key: 'url' } } },
  listeners: [{ name: 'https', port: 8443, tlsSecretRef: { name: 'tls' } }],
  env: [
    { name: 'A', secretRef: { name: 'env', key: 'a' } },
    { name: 'B', value: 'b' },
  ],
});

type Contents = Record<string, Record<string, string>>;
const FULL: Contents = {
  redis: { url: 'dQ==', other: 'bw==' },
  tls: { 'tls.crt': 'Yw==', 'tls.key': 'aw==' },
  env: { a: 'YQ==' },
};

const storeOf = (contents: Contents) => {
  const objects = Object.entries(contents).map(([name, data]): [string, SecretObject] => [
    `gatehouse-gateways/${name}`,
    { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'gatehouse-gateways', name }, data },
  ]);
  return new Map(objects);
};

describe('the Secrets of a fleet', () => {
  test('are those it names, and that of its admin port', () => {
    expect([...secretKeys(fleet)].sort()).toEqual(
      ['default-admin', 'env', 'redis', 'tls'].map((name) => `gatehouse-gateways/${name}`),
    );
  });

  test.for([
    { rule: 'is whole', contents: FULL, missing: [] },
    { rule: 'lacks a Secret', contents: { ...FULL, redis: {} }, missing: ['spec.stores.redis.urlSecretRef'] },
    {
      rule: 'lacks a key',
      contents: { ...FULL, tls: { 'tls.crt': 'Yw==' } },
      missing: ['spec.listeners[0].tlsSecretRef'],
    },
    { rule: 'has an empty entry', contents: { ...FULL, env: { a: '' } }, missing: ['spec.env[0].secretRef'] },
  ])('are named by their fields when the namespace $rule', ({ contents, missing }) => {
    const issues = missingSecrets(fleet, storeOf(contents));
    expect(issues.map(({ path }) => path)).toEqual(missing);
    expect(issues.every(({ reason }) => reason === 'RefNotFound')).toBe(true);
  });

  test.for([
    { rule: 'stays when an unused entry changes', contents: { ...FULL, redis: { url: 'dQ==' } }, same: true },
    { rule: 'changes with a used entry', contents: { ...FULL, env: { a: 'Yg==' } }, same: false },
    {
      rule: 'stays with a new certificate, which gateways read again',
      contents: { ...FULL, tls: { 'tls.crt': 'bmV3', 'tls.key': 'bmV3' } },
      same: true,
    },
  ])('have a digest that $rule', ({ contents, same }) => {
    const before = digestSecrets(fleet, storeOf(FULL), 'token');
    expect(digestSecrets(fleet, storeOf(contents), 'token') === before).toBe(same);
  });

  test('include those that volumes need, with any content', () => {
    const volumes = [
      { name: 'ca', secret: { secretName: 'ca' } },
      { name: 'extra', secret: { secretName: 'extra', optional: true } },
    ];
    const mounted = aFleet({ pod: { volumes } });
    expect([...secretKeys(mounted)].sort()).toEqual(['gatehouse-gateways/ca', 'gatehouse-gateways/default-admin']);
    expect(missingSecrets(mounted, storeOf({})).map(({ path }) => path)).toEqual(['spec.pod.volumes[0].secret']);
    expect(missingSecrets(mounted, storeOf({ ca: {} }))).toEqual([]);
  });

  test('have a digest that needs the admin token', () => {
    const of = (token: string): string => digestSecrets(fleet, storeOf(FULL), token);
    expect(of('a')).not.toBe(of('b'));
  });
});
