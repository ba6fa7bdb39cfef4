import { X509Certificate } from 'node:crypto';
import { LOOPBACK_PEM, RENEWED_PEM } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { SecretObject } from './kube-kinds.ts';
import { authorityOf, brokenSecrets, digestSecrets, secretKeys } from './secrets.ts';
import { aFleet } from './testing.ts';

const fleet = aFleet({
  stores: { redis: { urlSecretRef: { name: 'redis', key: 'url' } } },
  listeners: [{ name: 'https', port: 8443, tlsSecretRef: { name: 'tls' } }],
  tracing: {
    endpoint: 'http://collector:4318',
    headersSecretRef: { name: 'otlp', key: 'headers' },
  },
  records: {
    postgres: { urlSecretRef: { name: 'logs', key: 'url' } },
    s3: { bucket: 'logs', region: 'eu-central-1', secretRef: { name: 'minio' } },
  },
  env: [
    { name: 'A', secretRef: { name: 'env', key: 'a' } },
    { name: 'B', value: 'b' },
  ],
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const CERT = base64(LOOPBACK_PEM);

type Contents = Record<string, Record<string, string>>;
const FULL: Contents = {
  redis: { url: 'dQ==', other: 'bw==' },
  tls: { 'tls.crt': CERT, 'tls.key': CERT },
  otlp: { headers: 'YT1i' },
  logs: { url: 'dQ==' },
  minio: { accessKeyId: 'YQ==', secretAccessKey: 'Yg==' },
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
      ['default-admin', 'env', 'logs', 'minio', 'otlp', 'redis', 'tls'].map((name) => `gatehouse-gateways/${name}`),
    );
  });

  test.for([
    { rule: 'is whole', contents: FULL, missing: [] },
    { rule: 'lacks a Secret', contents: { ...FULL, redis: {} }, missing: ['spec.stores.redis.urlSecretRef'] },
    {
      rule: 'lacks a key',
      contents: { ...FULL, tls: { 'tls.crt': CERT } },
      missing: ['spec.listeners[0].tlsSecretRef'],
    },
    {
      rule: 'lacks the headers of the collector',
      contents: { ...FULL, otlp: {} },
      missing: ['spec.tracing.headersSecretRef'],
    },
    {
      rule: 'lacks the database of records',
      contents: { ...FULL, logs: {} },
      missing: ['spec.records.postgres.urlSecretRef'],
    },
    {
      rule: 'lacks the secret key of the bucket of documents',
      contents: { ...FULL, minio: { accessKeyId: 'YQ==' } },
      missing: ['spec.records.s3.secretRef'],
    },
    { rule: 'has an empty entry', contents: { ...FULL, env: { a: '' } }, missing: ['spec.env[0].secretRef'] },
  ])('are named by their fields when the namespace $rule', ({ contents, missing }) => {
    const issues = brokenSecrets(fleet, storeOf(contents));
    expect(issues.map(({ path }) => path)).toEqual(missing);
    expect(issues.every(({ reason }) => reason === 'RefNotFound')).toBe(true);
  });

  test.for([
    {
      rule: 'of another certificate',
      tls: { 'tls.crt': base64(RENEWED_PEM), 'tls.key': CERT },
      says: /does not belong/,
    },
    { rule: 'that is none', tls: { 'tls.crt': CERT, 'tls.key': 'aw==' }, says: /tls.key is no private key/ },
    { rule: 'without a certificate', tls: { 'tls.crt': 'Yw==', 'tls.key': CERT }, says: /tls.crt is no certificate/ },
  ])('are refused with a key $rule, without quoting it', ({ tls, says }) => {
    const issues = brokenSecrets(fleet, storeOf({ ...FULL, tls }));
    expect(issues).toEqual([
      {
        reason: 'InvalidCertificateRef',
        path: 'spec.listeners[0].tlsSecretRef',
        message: expect.stringMatching(says),
      },
    ]);
    expect(issues[0]?.message).not.toContain('-----');
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
    expect(brokenSecrets(mounted, storeOf({})).map(({ path }) => path)).toEqual(['spec.pod.volumes[0].secret']);
    expect(brokenSecrets(mounted, storeOf({ ca: {} }))).toEqual([]);
  });

  test('have a digest that needs the admin token', () => {
    const of = (token: string): string => digestSecrets(fleet, storeOf(FULL), token);
    expect(of('a')).not.toBe(of('b'));
  });
});

describe('the authority of a listener', () => {
  const certificateOf = (pem: string): string => String(new X509Certificate(pem));
  const tls = (data: Record<string, string>) => storeOf({ tls: data });

  test('is ca.crt, of which only certificates are copied', () => {
    const mixed = base64(`${RENEWED_PEM}\nanything else`);
    const found = authorityOf(fleet, tls({ 'tls.crt': CERT, 'ca.crt': mixed }));
    expect(found).toBe(certificateOf(RENEWED_PEM));
    expect(found).not.toContain('PRIVATE KEY');
  });

  test('is a certificate that signs itself where there is no other, and a public one otherwise', () => {
    expect(authorityOf(fleet, tls({ 'tls.crt': CERT }))).toBe(certificateOf(LOOPBACK_PEM));
    expect(authorityOf(fleet, tls({ 'tls.crt': base64('none') }))).toBeUndefined();
    expect(authorityOf(aFleet({}), tls({ 'tls.crt': CERT }))).toBeUndefined();
  });
});
