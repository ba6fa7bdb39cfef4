import { createTokenIssuer, ISSUED, issuer, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { viewOf } from '../pipeline/testing.ts';
import { createCheck } from './testing.ts';

const signer = await createTokenIssuer();

describe('a token of a ServiceAccount', () => {
  const CLUSTER = 'https://kubernetes.default.svc';
  const claims = (over: Record<string, unknown> = {}) => ({
    iss: CLUSTER,
    aud: ['gatehouse.dev/gateway'],
    sub: 'system:serviceaccount:apps:web',
    scope: '*',
    gw_workspace: 'team-b',
    'kubernetes.io': { namespace: 'apps', serviceaccount: { name: 'web', uid: 'u-1' }, pod: { name: 'web-0' } },
    ...over,
  });
  const identity = { namespace: 'apps', serviceAccount: 'web', scopes: ['completions.write'] };
  const cluster = issuer(CLUSTER, {
    type: 'cluster',
    jwks: [signer.jwk],
    audiences: ['gatehouse.dev/gateway'],
    maxLifetimeSeconds: 3600,
    scopes: [],
  });
  const holder = async (over: Record<string, unknown>, ...workspaces: ReturnType<typeof workspace>[]) =>
    createCheck().identify(await signer.sign(claims(over)), await viewOf(...workspaces, cluster));

  test('acts in the workspace that names it, with the scopes that are named there', async () => {
    const limits = [{ type: 'requests' as const, unit: 'rpm' as const, value: 9 }];
    const found = await holder({}, workspace('team-a', { workloadIdentities: [{ ...identity, rateLimits: limits }] }));
    expect(found?.key).toMatchObject({
      id: 'workload/team-a/apps/web',
      name: 'apps/web',
      workspace: 'team-a',
      scopes: new Set(['completions.write']),
      user: undefined,
    });
    expect(found?.key.limits).not.toEqual((await holder({}, named()))?.key.limits);
  });

  test.for<{ rule: string; pod: object | undefined; want: string | undefined }>([
    { rule: 'names its pod', pod: { name: 'web-0', uid: 'p-1' }, want: 'apps/web-0/p-1' },
    { rule: 'of no pod names none', pod: undefined, want: undefined },
  ])('$rule', async ({ pod, want }) => {
    const inside = { namespace: 'apps', serviceaccount: { name: 'web', uid: 'u-1' }, ...(pod && { pod }) };
    expect((await holder({ 'kubernetes.io': inside }, named()))?.pod).toBe(want);
  });

  const named = (over: object = {}) => workspace('team-a', { workloadIdentities: [{ ...identity, ...over }] });

  test.for<{ rule: string; over?: Record<string, unknown>; by?: object; code: string }>([
    { rule: 'another name', by: { serviceAccount: 'worker' }, code: 'WORKSPACE_FORBIDDEN' },
    { rule: 'another namespace', by: { namespace: 'team-a' }, code: 'WORKSPACE_FORBIDDEN' },
    { rule: 'an earlier ServiceAccount of the name', by: { uid: 'u-2' }, code: 'KEY_INVALID' },
    { rule: 'another subject', over: { sub: 'system:serviceaccount:apps:admin' }, code: 'KEY_INVALID' },
    { rule: 'no ServiceAccount', over: { 'kubernetes.io': undefined }, code: 'KEY_INVALID' },
    { rule: 'the API server', over: { aud: [CLUSTER] }, code: 'KEY_INVALID' },
    { rule: 'the API server as well', over: { aud: ['gatehouse.dev/gateway', CLUSTER] }, code: 'KEY_INVALID' },
    { rule: 'more than an hour', over: { exp: ISSUED + 3601 }, code: 'KEY_INVALID' },
  ])('is refused for $rule', async ({ over = {}, by = {}, code }) => {
    await expect(holder(over, named(by))).rejects.toMatchObject({ code });
  });

  test('is refused where several workspaces name it, or none', async () => {
    const both = [named(), workspace('team-b', { workloadIdentities: [identity] })];
    await expect(holder({}, ...both)).rejects.toMatchObject({ code: 'WORKSPACE_FORBIDDEN' });
    await expect(holder({}, workspace('team-a'))).rejects.toMatchObject({ code: 'WORKSPACE_FORBIDDEN' });
    expect(await holder({}, named({ uid: 'u-1' }))).toBeDefined();
  });

  test('ends with the Snapshot in which its ServiceAccount is another one', async () => {
    const { identify } = createCheck();
    const text = await signer.sign(claims());
    expect(await identify(text, await viewOf(named({ uid: 'u-1' }), cluster))).toBeDefined();
    await expect(identify(text, await viewOf(named({ uid: 'u-2' }), cluster))).rejects.toMatchObject({
      code: 'KEY_INVALID',
    });
  });

  describe('of a pod in a namespace whose pods have sidecars', () => {
    const ofPods = (name: string, over: object = {}) =>
      workspace(name, { sidecarIdentity: { namespace: 'apps', scopes: ['completions.write'], ...over } });

    test('acts in the workspace of the namespace, with its scopes and no others', async () => {
      expect((await holder({}, ofPods('team-a')))?.key).toMatchObject({
        id: 'workload/team-a/apps/web',
        workspace: 'team-a',
        scopes: new Set(['completions.write']),
      });
    });

    test('acts as its ServiceAccount where a workspace names it', async () => {
      const reader = workspace('team-b', { workloadIdentities: [{ ...identity, scopes: ['configs.read'] }] });
      expect((await holder({}, ofPods('team-a'), reader))?.key).toMatchObject({
        workspace: 'team-b',
        scopes: new Set(['configs.read']),
      });
      const gone = workspace('team-b', { workloadIdentities: [{ ...identity, uid: '' }] });
      await expect(holder({}, ofPods('team-a'), gone)).rejects.toMatchObject({ code: 'KEY_INVALID' });
    });

    const account = { namespace: 'apps', serviceaccount: { name: 'web', uid: 'u-1' } };
    const FORBIDDEN = 'WORKSPACE_FORBIDDEN';
    const mine = [ofPods('team-a')];
    const holding = (more: object) => ({ 'kubernetes.io': { ...account, ...more } });
    test.for<{
      rule: string;
      over?: Record<string, unknown>;
      given: ReturnType<typeof workspace>[];
      code: string;
    }>([
      { rule: 'no pod', over: holding({}), given: mine, code: FORBIDDEN },
      { rule: 'a node', over: holding({ node: { name: 'n' } }), given: mine, code: FORBIDDEN },
      { rule: 'a pod without a name', over: holding({ pod: { name: '' } }), given: mine, code: 'KEY_INVALID' },
      { rule: 'a pod elsewhere', given: [ofPods('team-a', { namespace: 'team-a' })], code: FORBIDDEN },
      { rule: 'a namespace that two claim', given: [...mine, ofPods('team-b')], code: FORBIDDEN },
    ])('is refused for $rule', async ({ over = {}, given, code }) => {
      await expect(holder(over, ...given)).rejects.toMatchObject({ code });
    });

    test('ends with the Snapshot in which the namespace has none, or another owner', async () => {
      const { identify } = createCheck();
      const text = await signer.sign(claims());
      expect((await identify(text, await viewOf(ofPods('team-a'), cluster)))?.key.workspace).toBe('team-a');
      expect((await identify(text, await viewOf(ofPods('team-b'), cluster)))?.key.workspace).toBe('team-b');
      await expect(identify(text, await viewOf(workspace('team-a'), cluster))).rejects.toMatchObject({
        code: 'WORKSPACE_FORBIDDEN',
      });
    });
  });
});
