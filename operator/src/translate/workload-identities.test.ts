import { describe, expect, test } from 'vitest';
import { type TestObject, worldOf } from './test-world.ts';
import { type Translation, translate } from './translate.ts';
import type { AccountReading, WorldSettings } from './types/index.ts';

const ISSUER = { issuer: 'https://kubernetes.default.svc', keys: [] };
const named = (serviceAccount: string) => ({ namespace: 'apps', serviceAccount, scopes: ['completions.write'] });

const workspace = (name: string, accounts: readonly string[], creationTimestamp: string): TestObject => ({
  kind: 'Workspace',
  metadata: { name, generation: 1, creationTimestamp },
  spec: { namespace: name, workloadIdentities: accounts.map(named) },
});

const OLD = '2026-01-01T00:00:00Z';
const NEW = '2026-01-02T00:00:00Z';

interface Given {
  readonly objects?: readonly TestObject[];
  /** Absent: there is no cluster. */
  readonly accounts?: Readonly<Record<string, AccountReading>> | undefined;
  readonly settings?: Partial<WorldSettings>;
  readonly before?: Translation;
}

const ONE = [workspace('team-a', ['web'], OLD)];

function run({ objects = ONE, accounts, settings = { clusterIssuer: ISSUER }, before }: Given): Translation {
  const serviceAccounts = accounts && new Map(Object.entries(accounts));
  return translate({ ...worldOf(objects, { settings }), serviceAccounts }, before);
}

function identitiesOf({ snapshot }: Translation, name = 'team-a') {
  const entry = snapshot.entries.find(({ id }) => id === `workspace/${name}/${name}`);
  return entry?.kind === 'workspace' ? (entry.body.workloadIdentities ?? []) : undefined;
}

const verdictOf = ({ verdicts }: Translation, key = 'Workspace/team-a') => verdicts.find((one) => one.key === key);
const refsOf = (translation: Translation, key?: string) => verdictOf(translation, key)?.conditions.ResolvedRefs;

describe('a ServiceAccount that a Workspace names', () => {
  test('is published with its UID, and with that of the next one of its name', () => {
    const first = run({ accounts: { 'apps/web': { kind: 'exists', uid: 'u-1' } } });
    expect(identitiesOf(first)).toMatchObject([{ serviceAccount: 'web', uid: 'u-1' }]);
    expect(refsOf(first)?.status).toBe('True');
    const second = run({ accounts: { 'apps/web': { kind: 'exists', uid: 'u-2' } }, before: first });
    expect(identitiesOf(second)).toMatchObject([{ uid: 'u-2' }]);
  });

  test('has a UID that no token has when it does not exist', () => {
    const translation = run({ accounts: { 'apps/web': { kind: 'absent' } } });
    expect(identitiesOf(translation)).toMatchObject([{ uid: '' }]);
    expect(refsOf(translation)).toEqual({
      status: 'False',
      reason: 'RefNotFound',
      message: 'spec.workloadIdentities[0].serviceAccount: the ServiceAccount apps/web does not exist',
    });
  });

  test('has no UID where the operator may not read it, and the condition says what that means and what grants it', () => {
    const translation = run({ accounts: { 'apps/web': { kind: 'denied' } } });
    expect(identitiesOf(translation)?.[0]).not.toHaveProperty('uid');
    expect(refsOf(translation)).toMatchObject({ status: 'False', reason: 'AccessDenied' });
    expect(refsOf(translation)?.message).toContain('good until they expire, 60 minutes at most');
    expect(refsOf(translation)?.message).toContain(
      'kubectl create role gatehouse-service-accounts --namespace apps --verb=get,watch --resource=serviceaccounts',
    );
  });

  test('has no UID, and is served, when too many are named', () => {
    const translation = run({ accounts: { 'apps/web': { kind: 'beyond' } } });
    expect(identitiesOf(translation)?.[0]).not.toHaveProperty('uid');
    expect(refsOf(translation)).toMatchObject({ status: 'Unknown', reason: 'Pending' });
  });

  test('changes nothing that is served until it has been read', () => {
    const before = run({ accounts: { 'apps/web': { kind: 'exists', uid: 'u-1' } } });
    const objects = [
      {
        ...workspace('team-a', ['web', 'job'], OLD),
        metadata: { name: 'team-a', generation: 2, creationTimestamp: OLD },
      },
    ];
    const unread = run({ objects, accounts: { 'apps/web': { kind: 'exists', uid: 'u-1' } }, before });
    expect(identitiesOf(unread)).toHaveLength(1);
    expect(refsOf(unread)).toMatchObject({ status: 'Unknown', reason: 'Pending' });
    const accounts: Given['accounts'] = {
      'apps/web': { kind: 'exists', uid: 'u-1' },
      'apps/job': { kind: 'exists', uid: 'u-2' },
    };
    expect(identitiesOf(run({ objects, accounts, before: unread }))).toHaveLength(2);
  });

  test('is published as it is named where there is no cluster', () => {
    const translation = run({ settings: {} });
    expect(identitiesOf(translation)).toEqual([named('web')]);
    expect(refsOf(translation)?.status).toBe('True');
  });

  test('acts in the oldest Workspace that names it, and the others say so', () => {
    const objects = [workspace('team-a', ['web'], NEW), workspace('team-b', ['web', 'job'], OLD)];
    const accounts: Given['accounts'] = {
      'apps/web': { kind: 'exists', uid: 'u-1' },
      'apps/job': { kind: 'exists', uid: 'u-2' },
    };
    const both = run({ objects, accounts });
    expect(identitiesOf(both)).toEqual([]);
    expect(identitiesOf(both, 'team-b')).toHaveLength(2);
    expect(refsOf(both, 'Workspace/team-b')?.status).toBe('True');
    expect(refsOf(both)).toMatchObject({ status: 'False', reason: 'RefNotPermitted' });
    expect(refsOf(both)?.message).toContain('acts in the Workspace team-b, which is older');
    const alone = run({ objects: objects.slice(0, 1), accounts, before: both });
    expect(identitiesOf(alone)).toHaveLength(1);
    expect(refsOf(alone)?.status).toBe('True');
  });
});

describe('the issuer of the cluster', () => {
  test('is missed by a Workspace that names ServiceAccounts when it cannot be read', () => {
    const translation = run({ accounts: { 'apps/web': { kind: 'exists', uid: 'u-1' } }, settings: {} });
    expect(refsOf(translation)).toMatchObject({ status: 'False', reason: 'AccessDenied' });
    expect(refsOf(translation)?.message).toContain('--clusterrole=system:service-account-issuer-discovery');
    expect(identitiesOf(translation)).toHaveLength(1);
  });

  test('goes before one of the Organisation with the same name, which the Organisation says', () => {
    const organisation: TestObject = {
      kind: 'Organisation',
      metadata: { name: 'default', generation: 1 },
      spec: {
        jwtIssuers: [
          { issuer: 'https://idp.example.com', jwksUri: 'https://idp.example.com/keys', audiences: ['x'] },
          { issuer: ISSUER.issuer, jwksUri: 'https://elsewhere.example.com/keys', audiences: ['x'] },
        ],
      },
    };
    const translation = run({ objects: [organisation], accounts: {} });
    const issuers = translation.snapshot.entries.filter((entry) => entry.kind === 'issuer');
    expect(issuers.map(({ body }) => `${body.type} ${body.issuer}`).sort()).toEqual([
      'cluster https://kubernetes.default.svc',
      'jwt https://idp.example.com',
    ]);
    expect(refsOf(translation, 'Organisation/default')).toMatchObject({ status: 'False', reason: 'RefNotPermitted' });
    expect(refsOf(translation, 'Organisation/default')?.message).toMatch(
      /^spec\.jwtIssuers\[1\]\.issuer: is the issuer/,
    );
    const elsewhere = run({ objects: [organisation], settings: {} });
    expect(refsOf(elsewhere, 'Organisation/default')?.status).toBe('True');
  });
});
