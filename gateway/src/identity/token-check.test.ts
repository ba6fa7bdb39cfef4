/** Which tokens are accepted, and what their holders may do. Attacks are in test/security/gateway/tokens.test.ts. */
import { config, createTokenIssuer, ISSUED, ISSUER, issuer, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { viewOf } from '../pipeline/testing.ts';
import { NO_LIMITS, type SnapshotView } from '../snapshot/index.ts';
import { isOwnToken, type TokenIdentity } from './index.ts';
import { createCheck } from './testing.ts';

const signer = await createTokenIssuer();
const other = await createTokenIssuer({ kid: 'two' });

type IssuerBody = Parameters<typeof issuer>[1];

const world = (body: IssuerBody = {}): Promise<SnapshotView> =>
  viewOf(
    workspace('team-a'),
    workspace('team-b'),
    config('fast', { provider: '@openai' }),
    issuer(ISSUER, { jwks: [signer.jwk], ...body }),
  );

async function holderOf(claims: Record<string, unknown>, body?: IssuerBody): Promise<TokenIdentity | undefined> {
  return createCheck().identify(await signer.sign(claims), await world(body));
}

describe('the holder of a token', () => {
  test('is a key of the workspace that the token names', async () => {
    expect(await holderOf({})).toMatchObject({
      key: {
        name: 'ada',
        workspace: 'team-a',
        scopes: new Set(['completions.write']),
        defaults: { allowConfigOverride: true },
        limits: NO_LIMITS,
        expiresAtMs: (ISSUED + 630) * 1000,
        user: 'ada',
      },
    });
  });

  test.for<{ rule: string; claims: Record<string, unknown>; body?: IssuerBody; want: string }>([
    { rule: 'the claim gw_workspace', claims: { gw_workspace: 'team-b' }, want: 'team-b' },
    {
      rule: 'the claim workspace_slug',
      claims: { gw_workspace: undefined, workspace_slug: 'team-b' },
      want: 'team-b',
    },
    {
      rule: 'a claim of the issuer',
      claims: { tenant: 'team-b' },
      body: { claims: { workspace: 'tenant' } },
      want: 'team-b',
    },
    {
      rule: 'the default of the issuer',
      claims: { gw_workspace: undefined },
      body: { defaultWorkspace: 'team-b' },
      want: 'team-b',
    },
  ])('acts in the workspace of $rule', async ({ claims, body, want }) => {
    expect((await holderOf(claims, body))?.key.workspace).toBe(want);
  });

  test.for<{ rule: string; claims: Record<string, unknown>; body?: IssuerBody }>([
    { rule: 'does not exist', claims: { gw_workspace: 'team-c' } },
    { rule: 'is not open to the issuer', claims: { gw_workspace: 'team-b' }, body: { workspaces: ['team-a'] } },
    { rule: 'is not named', claims: { gw_workspace: undefined } },
    { rule: 'is not a text', claims: { gw_workspace: ['team-a'] } },
    { rule: 'is in another organisation', claims: { gw_oid: 'umbrella' }, body: { organisation: 'acme' } },
    { rule: 'has no organisation though one is needed', claims: {}, body: { organisation: 'acme' } },
  ])('is refused where the workspace $rule', async ({ claims, body }) => {
    await expect(holderOf(claims, body)).rejects.toMatchObject({ code: 'WORKSPACE_FORBIDDEN' });
  });

  test.for([
    { claims: { scope: 'completions.write models.list' }, want: ['completions.write', 'models.list'] },
    {
      claims: { scope: undefined, scopes: ['gw.completions:write', 'gw.models.list'] },
      want: ['completions.write', 'models.list'],
    },
    { claims: { scope: 'completions.write *' }, want: ['completions.write'] },
    { claims: { scope: 'organisation_settings.update' }, want: [] },
    { claims: { scope: '' }, want: [] },
    { claims: { scope: { completions: 'write' } }, want: [] },
    { claims: { scope: undefined }, want: ['models.list'] },
    { claims: { roles: ['completions.write'] }, body: { claims: { scopes: 'roles' } }, want: ['completions.write'] },
  ])('has of the scopes $claims what the issuer may give', async ({ claims, body = {}, want }) => {
    expect([...((await holderOf(claims, { defaultScopes: ['models.list'], ...body }))?.key.scopes ?? [])]).toEqual(
      want,
    );
  });

  test.for([
    { claims: { email_id: 'a@acme.example', uid: '7' }, want: 'a@acme.example' },
    { claims: { uid: '7' }, want: 'ada' },
    { claims: { sub: undefined, uid: '7' }, want: '7' },
    { claims: { upn: 'u' }, body: { claims: { user: 'upn' } }, want: 'u' },
    { claims: { sub: undefined }, want: undefined },
  ])('is recorded as the user $want', async ({ claims, body = {}, want }) => {
    expect((await holderOf(claims, body))?.key.user).toBe(want);
  });

  test('has the defaults of the token, without a config that the workspace does not have', async () => {
    const defaults = { config: 'fast', metadata: { team: 'x', level: 3 }, allow_config_override: false };
    expect((await holderOf({ defaults }))?.key.defaults).toEqual({
      config: 'fast',
      metadata: { team: 'x' },
      allowConfigOverride: false,
    });
    const unknown = await holderOf({ defaults: { config_id: 'slow' } });
    expect(unknown?.key.defaults).toEqual({ allowConfigOverride: true });
  });

  test('has the limits of the issuer, and those of the token only where the issuer says so', async () => {
    const own = [{ type: 'requests' as const, unit: 'rpm' as const, value: 5 }];
    const claims = { rate_limits: [{ type: 'requests', unit: 'rph', value: 7 }] };
    const requests = async (body: object) =>
      (await holderOf(claims, body))?.key.limits.requests.map(({ window, limit }) => ({ window, limit }));
    expect(await requests({ rateLimits: own })).toEqual([{ window: 'rpm', limit: 5 }]);
    expect(await requests({ rateLimits: own, allowLimitClaims: true })).toEqual([
      { window: 'rpm', limit: 5 },
      { window: 'rph', limit: 7 },
    ]);
  });

  test.for([{ unit: 'rpm' }, [{ unit: 'rpm', value: -1 }], [{ unit: 'year', value: 1 }], Array(11).fill({})])(
    'is refused with limits that cannot be read: %j',
    async (limits) => {
      await expect(holderOf({ rate_limits: limits }, { allowLimitClaims: true })).rejects.toMatchObject({
        code: 'KEY_INVALID',
        param: 'rate_limits',
      });
      expect((await holderOf({ rate_limits: limits }))?.key.limits).toBe(NO_LIMITS);
    },
  );

  test('has the budgets of the token only where the issuer says so', async () => {
    const claims = {
      usage_limits: [
        { credit_limit: 12.5, alert_threshold: 10, periodic_reset: 'monthly' },
        { name: 'tokens', type: 'tokens', credit_limit: 1_000, periodic_reset_days: 7 },
        { name: 'calls', type: 'requests', credit_limit: 1, periodic_reset: 'weekly' },
        { credit_limit: '0001', next_usage_reset_at: '2026-12-24T18:00:00+02:00' },
      ],
    };
    const budgets = (await holderOf(claims, { allowLimitClaims: true }))?.key.limits.budgets ?? [];
    expect(budgets.map(({ type, limit, alertAt, schedule }) => ({ type, limit, alertAt, schedule }))).toEqual([
      { type: 'cost', limit: 12_500_000_000, alertAt: 10_000_000_000, schedule: { reset: { period: 'monthly' } } },
      { type: 'tokens', limit: 1_000, schedule: { reset: { days: 7 } } },
      { type: 'requests', limit: 1, schedule: { reset: { period: 'weekly' } } },
      { type: 'cost', limit: 1_000_000_000, schedule: { firstResetAtMs: Date.parse('2026-12-24T00:00:00Z') } },
    ]);
    expect(budgets.map(({ id }) => id.slice(id.indexOf('|')))).toEqual([
      '|cost|main',
      '|tokens|tokens',
      '|requests|calls',
      '|cost|main-4',
    ]);
    expect(budgets[0]).toMatchObject({ slot: 'team-a', owner: { kind: 'key', slug: 'ada' } });
    expect((await holderOf(claims))?.key.limits).toBe(NO_LIMITS);
    const one = await holderOf({ usage_limits: { credit_limit: 1 } }, { allowLimitClaims: true });
    expect(one?.key.limits.budgets).toHaveLength(1);
  });

  test.for<unknown>([
    'all',
    {},
    [{ credit_limit: 0.5 }],
    [{ credit_limit: -1 }],
    [{ credit_limit: 1e300 }],
    [{ credit_limit: '1e3' }],
    [{ credit_limit: 9_007_200 }],
    [{ credit_limit: 99, type: 'tokens' }],
    [{ credit_limit: 100.5, type: 'tokens' }],
    [{ credit_limit: 0, type: 'requests' }],
    [{ credit_limit: 10.5, type: 'requests' }],
    [{ credit_limit: 10, type: 'calls' }],
    [{ credit_limit: 10, type: 'toString' }],
    [{ credit_limit: 10, alert_threshold: 10 }],
    [{ credit_limit: 10, alert_threshold: 'soon' }],
    [{ credit_limit: 10, periodic_reset: 'daily' }],
    [{ credit_limit: 10, periodic_reset: 'weekly', periodic_reset_days: 7 }],
    [{ credit_limit: 10, periodic_reset_days: 366 }],
    [{ credit_limit: 10, next_usage_reset_at: 'tomorrow' }],
    [{ credit_limit: 10, per_model: 'gpt-4o' }],
    [{ credit_limit: 10, name: 'a|b' }],
    [
      { credit_limit: 10, name: 'a' },
      { credit_limit: 20, name: 'a' },
    ],
    Array(9).fill({ credit_limit: 10 }),
  ])('is refused with budgets that cannot be read: %j', async (budgets) => {
    await expect(holderOf({ usage_limits: budgets }, { allowLimitClaims: true })).rejects.toMatchObject({
      code: 'KEY_INVALID',
      param: 'usage_limits',
    });
  });

  test('shares limits with all tokens of the same workspace, issuer and subject, and with no others', async () => {
    const idOf = async (claims: Record<string, unknown>) => (await holderOf(claims))?.key.id;
    expect(await idOf({ jti: '1' })).toBe(await idOf({ jti: '2' }));
    expect(await idOf({ sub: 'bob' })).not.toBe(await idOf({}));
    expect(await idOf({ gw_workspace: 'team-b' })).not.toBe(await idOf({}));
    expect(await idOf({ sub: 'x'.repeat(5_000) })).not.toBe(await idOf({ sub: 'x'.repeat(5_001) }));
    expect((await idOf({ sub: 'x'.repeat(5_000) }))?.length).toBeLessThan(256);
  });
});

describe('a token is refused', () => {
  test.for<{ rule: string; claims: Record<string, unknown>; body?: IssuerBody; code?: string }>([
    { rule: 'after its expiry and the skew', claims: { exp: ISSUED - 30 }, code: 'KEY_EXPIRED' },
    { rule: 'without expiry', claims: { exp: undefined } },
    { rule: 'with an expiry that is no time', claims: { exp: '9999999999' } },
    { rule: 'with an endless expiry', claims: { exp: 1e300 } },
    { rule: 'before nbf and the skew', claims: { nbf: ISSUED + 31 } },
    { rule: 'issued in the future', claims: { iat: ISSUED + 31 } },
    { rule: 'for another audience', claims: { aud: 'elsewhere' } },
    { rule: 'without an audience', claims: { aud: undefined } },
    { rule: 'valid for too long', claims: { exp: ISSUED + 601 }, body: { maxLifetimeSeconds: 600 } },
    {
      rule: 'without iat where the lifetime is bounded',
      claims: { iat: undefined },
      body: { maxLifetimeSeconds: 600 },
    },
    { rule: 'with an algorithm that the issuer does not use', claims: {}, body: { algorithms: ['ES256'] } },
    { rule: 'with a key that the issuer does not have', claims: {}, body: { jwks: [other.jwk] } },
  ])('$rule', async ({ claims, body, code = 'KEY_INVALID' }) => {
    await expect(holderOf(claims, body)).rejects.toMatchObject({ code });
  });

  test.for<{ rule: string; claims: Record<string, unknown> }>([
    { rule: 'within the skew of its expiry', claims: { exp: ISSUED - 29 } },
    { rule: 'within the skew of nbf', claims: { nbf: ISSUED + 30 } },
    { rule: 'for several audiences', claims: { aud: ['elsewhere', 'gateway'] } },
  ])('but not $rule', async ({ claims }) => {
    expect(await holderOf(claims)).toBeDefined();
  });

  test('but of no concern when its issuer is not known', async () => {
    expect(await holderOf({ iss: 'https://other.example' })).toBeUndefined();
    expect(await holderOf({ iss: undefined })).toBeUndefined();
  });
});

describe.each(['RS256', 'RS512', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'])('%s', (alg) => {
  test('is verified', async () => {
    const own = await createTokenIssuer({ alg });
    const view = await world({ jwks: [own.jwk], algorithms: [alg] });
    expect(await createCheck().identify(await own.sign(), view)).toBeDefined();
  });
});

describe('a verified token', () => {
  test('is answered at once the next time', async () => {
    const { tokens } = createCheck();
    const view = await world();
    const text = await signer.sign();
    const first = tokens.identify(text, 'authorization', view);
    expect(first).toBeInstanceOf(Promise);
    const again = tokens.identify(text, 'authorization', view);
    expect(await again).toBe(await first);
    expect(tokens.identify(text, 'authorization', view)).toBe(await first);
  });

  test('ends with its expiry', async () => {
    const { clock, identify } = createCheck();
    const view = await world();
    const text = await signer.sign();
    await identify(text, view);
    clock.nowMs = (ISSUED + 630) * 1000 - 1;
    expect(await identify(text, view)).toBeDefined();
    clock.nowMs += 1;
    await expect(identify(text, view)).rejects.toMatchObject({ code: 'KEY_EXPIRED' });
  });

  test.for<{ rule: string; body: IssuerBody; code: string }>([
    { rule: 'the issuer has another key', body: { jwks: [other.jwk] }, code: 'KEY_INVALID' },
    { rule: 'the issuer has another audience', body: { audiences: ['elsewhere'] }, code: 'KEY_INVALID' },
    { rule: 'the issuer may not use the workspace', body: { workspaces: ['team-b'] }, code: 'WORKSPACE_FORBIDDEN' },
  ])('ends when $rule', async ({ body, code }) => {
    const { identify } = createCheck();
    const text = await signer.sign();
    await identify(text, await world());
    await expect(identify(text, await world(body))).rejects.toMatchObject({ code });
    expect(await identify(text, await world())).toBeDefined();
  });

  test('ends when issuer or workspace are gone, and follows a config that comes', async () => {
    const { identify } = createCheck();
    const text = await signer.sign({ defaults: { config: 'later' } });
    const own = issuer(ISSUER, { jwks: [signer.jwk] });
    expect((await identify(text, await viewOf(workspace(), own)))?.key.defaults.config).toBeUndefined();
    const later = await viewOf(workspace(), own, config('later', { provider: '@openai' }));
    expect((await identify(text, later))?.key.defaults.config).toBe('later');
    expect(await identify(text, await viewOf(workspace()))).toBeUndefined();
    await expect(identify(text, await viewOf(workspace('team-b'), own))).rejects.toMatchObject({
      code: 'WORKSPACE_FORBIDDEN',
    });
  });

  test('of one Snapshot says nothing about another whose check is under way', async () => {
    const { tokens } = createCheck();
    const text = await signer.sign();
    const strict = await world({ audiences: ['elsewhere'] });
    const first = tokens.identify(text, 'authorization', await world());
    await expect(tokens.identify(text, 'authorization', strict)).rejects.toMatchObject({ code: 'KEY_INVALID' });
    expect(await first).toBeDefined();
  });
});

test('a token for this gateway is known as one, good or not; others are not', async () => {
  const view = await world();
  const is = async (claims: Record<string, unknown>) => isOwnToken(await signer.sign(claims), view);
  expect(await is({ exp: 1 })).toBe(true);
  expect(await is({ aud: 'https://cognitiveservices.azure.com' })).toBe(false);
  expect(await is({ iss: 'https://other.example' })).toBe(false);
  expect(isOwnToken('eyJ.eyJ.x', view)).toBe(false);
});
