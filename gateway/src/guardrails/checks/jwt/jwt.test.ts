import { createTokenIssuer, ISSUED } from '@gatehouse/test/kit';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { Cancellation } from '../../../lib/cancellation.ts';
import { Secret } from '../../../lib/secret.ts';
import type { SideAnswer, SideRequest } from '../../../providers/contract.ts';
import type { CheckSubject, CheckTools } from '../../contract.ts';
import { outcomeOf, runCheck, subjectOf, toolsOf } from '../../testing.ts';
import { jwt } from './jwt.ts';

const signer = await createTokenIssuer();
const other = await createTokenIssuer({ kid: 'two' });
const curve = await createTokenIssuer({ alg: 'ES256', kid: 'three' });
const forger = await createTokenIssuer();
const unnamed = (): Promise<string> =>
  new SignJWT({ exp: ISSUED + 600 }).setProtectedHeader({ alg: 'RS256' }).sign(signer.privateKey);
const jwks = { keys: [signer.jwk, curve.jwk] };

const holding = (token: string | undefined, over: Partial<CheckSubject> = {}): CheckSubject =>
  subjectOf([], { header: (name) => (name === 'authorization' ? token : undefined), ...over });

const at = (seconds: number): CheckTools => toolsOf({ now: () => (ISSUED + seconds) * 1000 });

const answer = (parameters: object, token: string | undefined, tools = at(1)) =>
  runCheck('default.jwt', { jwks, ...parameters }, holding(token), { tools });

describe('a token checked with the keys of the parameters', () => {
  test.for<
    [rule: string, token: () => Promise<string | undefined> | string | undefined, want: string, tools?: CheckTools]
  >([
    ['passes with a good signature', () => signer.sign(), 'T'],
    ['passes behind Bearer', async () => `Bearer ${await signer.sign()}`, 'T'],
    ['fails without the header', () => undefined, 'F'],
    ['fails when the header is empty', () => 'Bearer ', 'F'],
    ['fails when it is no token', () => 'gwk_abc', 'F'],
    ['fails when it is cut', async () => (await signer.sign()).slice(0, -40), 'F'],
    ['fails with a key that is not known', () => other.sign(), 'F'],
    ['fails without the name of its key', unnamed, 'F'],
    ['fails with a wrong signature', () => forger.sign(), 'F'],
    ['fails with an algorithm that is not accepted', () => curve.sign(), 'F'],
    ['fails without a signature', () => `${Buffer.from('{"alg":"none","kid":"one"}').toString('base64url')}.e30.`, 'F'],
    ['fails when it has expired', () => signer.sign(), 'F', at(605)],
    ['passes until clocks that differ agree', () => signer.sign(), 'T', at(604)],
    ['fails before it is valid', () => signer.sign({ nbf: ISSUED + 60 }), 'F'],
    ['fails when it is older than a day', () => signer.sign({ exp: ISSUED + 999_999 }), 'F', at(86_410)],
    ['passes at any age without the time of issue', () => signer.sign({ iat: undefined, exp: ISSUED + 999_999 }), 'T'],
  ])('%s', async ([, token, want, tools]) => {
    expect(outcomeOf(await answer({}, await token(), tools))).toBe(want);
  });

  test('may have any algorithm that the parameters name', async () => {
    expect(outcomeOf(await answer({ algorithms: ['ES256'] }, await curve.sign()))).toBe('T');
    expect(outcomeOf(await answer({ algorithms: ['ES256'] }, await signer.sign()))).toBe('F');
  });

  test('may be in any header', async () => {
    const subject = subjectOf([], { header: (name) => (name === 'x-user-token' ? token : undefined) });
    const token = await signer.sign();
    const run = runCheck('jwt', { jwks, headerKey: 'X-User-Token' }, subject, { tools: at(1) });
    expect(outcomeOf(await run)).toBe('T');
  });

  test('may live as long as the parameters say', async () => {
    const token = await signer.sign({ exp: ISSUED + 999_999 });
    expect(outcomeOf(await answer({ maxTokenAge: '2 days' }, token, at(86_410)))).toBe('T');
    expect(outcomeOf(await answer({ maxTokenAge: '60' }, token, at(66)))).toBe('F');
  });
});

const described = await signer.sign({
  scope: 'read write',
  roles: ['admin', 'dev-ops'],
  level: 3,
  none: null,
  kid: 'one',
  'https://example.com/org': 'a',
});

describe('claims', () => {
  const claim = (name: string, values: string | string[], matchType?: string) => ({
    claimValues: { [name]: { values, ...(matchType === undefined ? {} : { matchType }) } },
  });

  test.for<[rule: string, parameters: object, want: string]>([
    ['that are required are there', { requiredClaims: ['sub', 'level'] }, 'T'],
    ['that are required are missing', { requiredClaims: ['sub', 'email'] }, 'F'],
    ['that are required are null', { requiredClaims: ['none'] }, 'F'],
    ['that are required are not inherited', { requiredClaims: ['toString'] }, 'F'],
    ['are equal', claim('sub', 'ada'), 'T'],
    ['are not equal', claim('sub', 'Ada'), 'F'],
    ['are equal to one of two expected values', claim('sub', ['ada', 'bob']), 'F'],
    ['are two where one is expected', claim('roles', 'admin'), 'F'],
    ['are a number', claim('level', '3'), 'T'],
    ['are missing', claim('email', 'x', 'contains'), 'F'],
    ['contain a part', claim('roles', ['none', 'ops'], 'contains'), 'T'],
    ['contain no part', claim('roles', ['none'], 'contains'), 'F'],
    ['contain all parts', claim('roles', ['adm', 'ops'], 'containsAll'), 'T'],
    ['contain some parts', claim('roles', ['adm', 'none'], 'containsAll'), 'F'],
    ['match a pattern', claim('roles', '^dev-[a-z]+$', 'regex'), 'T'],
    ['match no pattern', claim('roles', ['^ops$', '^d$'], 'regex'), 'F'],
    ['of a scope are words', claim('scope', '^write$', 'regex'), 'T'],
    ['of other names are not split', claim('https://example.com/org', 'a'), 'T'],
    ['are those of the header', { headerPayloadMatch: ['kid'] }, 'T'],
    ['are not those of the header', { headerPayloadMatch: ['alg'] }, 'F'],
  ])('%s', async ([, parameters, want]) => {
    expect(outcomeOf(await answer(parameters, described))).toBe(want);
  });

  test('that fail are named, and their values are not', async () => {
    const parameters = { requiredClaims: ['email'], ...claim('sub', 'bob'), headerPayloadMatch: ['alg'] };
    const { data } = await answer(parameters, described);
    expect(data).toEqual({
      verdict: false,
      explanation: expect.any(String),
      validations: {
        signatureValid: true,
        requiredClaims: { valid: false, missing: ['email'] },
        claimValues: { valid: false, failed: ['sub'] },
        headerPayloadMatch: { valid: false, mismatched: ['alg'] },
      },
    });
  });

  test('match nothing when there is no more work for patterns', async () => {
    const tools = toolsOf({ now: () => ISSUED * 1000, regex: { left: 0, nextSlice: async () => {} } });
    expect(outcomeOf(await answer(claim('sub', 'ada', 'regex'), described, tools))).toBe('F');
  });
});

describe('claims as headers', () => {
  const headersOf = async (parameters: object, claims: object) => {
    const { transformed } = await answer(parameters, await signer.sign({ ...claims }));
    return transformed?.kind === 'headers' ? transformed.headers : undefined;
  };

  test('are texts: lists with commas, objects as JSON', async () => {
    const parameters = { extractClaims: ['sub', 'roles', 'org', 'level', 'User_Id'] };
    const claims = { roles: ['a', 'b'], org: { id: 1 }, level: 3, User_Id: 'u' };
    expect(await headersOf(parameters, claims)).toEqual({
      'x-jwt-sub': 'ada',
      'x-jwt-roles': 'a,b',
      'x-jwt-org': '{"id":1}',
      'x-jwt-level': '3',
      'x-jwt-user-id': 'u',
    });
  });

  test('carry no line ends and nothing but ASCII', async () => {
    const headers = await headersOf({ extractClaims: ['name'] }, { name: 'Ada\r\nx-gw-api-key: k é' });
    expect(headers).toEqual({ 'x-jwt-name': 'Ada%0D%0Ax-gw-api-key: k %C3%A9' });
  });

  test('are empty where the claim is missing or too long, so that the client sets them neither', async () => {
    const headers = await headersOf({ extractClaims: ['none', 'long'] }, { long: 'a'.repeat(4_097) });
    expect(headers).toEqual({ 'x-jwt-none': '', 'x-jwt-long': '' });
  });

  test('have the prefix of the parameters', async () => {
    expect(await headersOf({ extractClaims: ['sub'], claimPrefix: 'X-User-' }, {})).toEqual({ 'x-user-sub': 'ada' });
  });

  test('are not made of a token that fails', async () => {
    const failing = await answer({ extractClaims: ['sub'], requiredClaims: ['email'] }, await signer.sign());
    expect(failing.transformed).toBeUndefined();
  });
});

/** An issuer on a network of its own, and a clock that the test moves. */
function createWorld(over: Partial<Pick<SideAnswer, 'status'>> & { body?: unknown } = {}) {
  const world = { nowMs: ISSUED * 1000, body: over.body ?? jwks, status: over.status ?? 200, isAway: false };
  const sent: SideRequest[] = [];
  const fetch = async (request: SideRequest): Promise<SideAnswer> => {
    sent.push(request);
    if (world.isAway) throw new AppError('UPSTREAM_UNREACHABLE');
    const text = typeof world.body === 'string' ? world.body : JSON.stringify(world.body);
    return { status: world.status, headers: {}, body: Buffer.from(text) };
  };
  const tools = (extra: Partial<CheckTools> = {}) => toolsOf({ fetch, now: () => world.nowMs, ...extra });
  return { world, sent, tools };
}

/** One compiled check, as a Snapshot has it. */
const compile = (parameters: object, credential = new Map<string, Secret>()) =>
  jwt.compile(jwt.entry.parameters.parse(parameters), credential);

describe('a token checked with the keys at a URL', () => {
  const jwksUri = 'https://id.example/keys';

  test('passes with the keys that were fetched once', async () => {
    const { sent, tools } = createWorld();
    const check = compile({ jwksUri });
    const subject = holding(await signer.sign());
    expect([outcomeOf(await check(subject, tools())), outcomeOf(await check(subject, tools()))]).toEqual(['T', 'T']);
    expect(sent).toMatchObject([{ method: 'GET', url: jwksUri, account: true }]);
  });

  test('waits for the keys together with others', async () => {
    const { sent, tools } = createWorld();
    const check = compile({ jwksUri });
    const subject = holding(await signer.sign());
    const answers = await Promise.all([check(subject, tools()), check(subject, tools())]);
    expect(answers.map(outcomeOf)).toEqual(['T', 'T']);
    expect(sent).toHaveLength(1);
  });

  test('finds a key that is new, with one fetch in ten seconds', async () => {
    const { world, sent, tools } = createWorld();
    const check = compile({ jwksUri });
    const subject = holding(await other.sign());
    const outcome = async () => outcomeOf(await check(subject, tools()));
    expect([await outcome(), await outcome()]).toEqual(['F', 'F']);
    world.body = { keys: [other.jwk] };
    expect([await outcome(), sent.length]).toEqual(['F', 1]);
    world.nowMs += 10_000;
    expect([await outcome(), sent.length]).toEqual(['T', 2]);
  });

  test('is an error while the keys were never there', async () => {
    const { world, sent, tools } = createWorld();
    world.isAway = true;
    const check = compile({ jwksUri });
    const subject = holding(await signer.sign());
    const outcome = async () => outcomeOf(await check(subject, tools()));
    expect([await outcome(), await outcome(), sent.length]).toEqual(['F e', 'F e', 1]);
    world.isAway = false;
    world.nowMs += 2_000;
    expect(await outcome()).toBe('T');
  });

  test.for<[rule: string, answer: { status?: number; body?: unknown }]>([
    ['that answers with an error', { status: 500 }],
    ['without JSON', { body: '<html>' }],
    ['without keys', { body: { keys: [] } }],
    ['with other JSON', { body: ['x'] }],
  ])('is an error at a URL %s', async ([, over]) => {
    const check = compile({ jwksUri });
    const given = await check(holding(await signer.sign()), createWorld(over).tools());
    expect(outcomeOf(given)).toBe('F e');
  });

  test('passes with the old keys for one more period while the issuer is away', async () => {
    const { world, tools } = createWorld();
    const check = compile({ jwksUri, cacheMaxAge: 60 });
    const subject = holding(await signer.sign());
    const outcome = async () => outcomeOf(await check(subject, tools()));
    expect(await outcome()).toBe('T');
    world.isAway = true;
    world.nowMs += 119_999;
    expect(await outcome()).toBe('T');
    world.nowMs += 1;
    expect(await outcome()).toBe('F e');
  });

  test('fails once its key is gone', async () => {
    const { world, tools } = createWorld();
    const check = compile({ jwksUri, cacheMaxAge: 60 });
    const subject = holding(await signer.sign());
    expect(outcomeOf(await check(subject, tools()))).toBe('T');
    world.body = { keys: [other.jwk] };
    world.nowMs += 60_000;
    expect(outcomeOf(await check(subject, tools()))).toBe('F');
  });

  test('does not fail because another request gave up', async () => {
    const { tools } = createWorld();
    const signal = new Cancellation();
    const never: CheckTools['fetch'] = (_, options) =>
      new Promise((_resolve, reject) => options.signal.onCancel(() => reject(options.signal.reason)));
    const check = compile({ jwksUri });
    const subject = holding(await signer.sign());
    const first = check(subject, tools({ fetch: never, signal }));
    const second = check(subject, tools());
    signal.cancel(new AppError('CLIENT_CLOSED'));
    expect(outcomeOf(await first)).toBe('F e');
    expect(outcomeOf(await second)).toBe('T');
  });
});

describe('a token that the issuer is asked about', () => {
  const introspectEndpoint = 'https://id.example/introspect';
  const ask = async (
    body: unknown,
    { status = 200, parameters = {} }: { status?: number; parameters?: object } = {},
  ) => {
    const { sent, tools } = createWorld({ body, status });
    const check = compile({ introspectEndpoint, ...parameters });
    return { given: await check(holding('opaque&token'), tools()), sent };
  };
  const now = ISSUED;

  test.for<[rule: string, body: unknown, want: string, status?: number]>([
    ['is active', { active: true }, 'T'],
    ['is not active', { active: false, valid: true, sub: 'a' }, 'F'],
    ['is active in words', { active: 'true' }, 'F'],
    ['is valid', { valid: true }, 'T'],
    ['is not valid', { valid: false, sub: 'a' }, 'F'],
    ['has a holder', { sub: 'ada' }, 'T'],
    ['has nothing', {}, 'F'],
    ['has expired', { active: true, exp: now - 5 }, 'F'],
    ['has just expired', { active: true, exp: now - 4 }, 'T'],
    ['expires at no time', { active: true, exp: 'soon' }, 'F'],
    ['is not valid yet', { active: true, nbf: now + 6 }, 'F'],
    ['is refused', { error: 'invalid_token' }, 'F', 401],
    ['cannot be judged by a broken issuer', {}, 'F e', 503],
    ['cannot be judged by a busy issuer', {}, 'F e', 429],
    ['is judged without JSON', '<html>', 'F e'],
    ['is judged by a list', [], 'F e'],
  ])('%s', async ([, body, want, status]) => {
    expect(outcomeOf((await ask(body, status === undefined ? {} : { status })).given)).toBe(want);
  });

  test('is sent as a form, or as JSON where the parameters say so', async () => {
    const form = await ask({ active: true });
    expect(form.sent).toMatchObject([
      {
        method: 'POST',
        url: introspectEndpoint,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'token=opaque%26token',
      },
    ]);
    const json = await ask({ active: true }, { parameters: { introspectContentType: 'application/json' } });
    expect(json.sent).toMatchObject([
      { headers: { 'content-type': 'application/json' }, body: '{"token":"opaque&token"}' },
    ]);
  });

  test('is asked about with the credential of the check', async () => {
    const { sent, tools } = createWorld({ body: { active: true } });
    const credential = new Map<string, Secret>([
      ['clientId', new Secret('gw')],
      ['clientSecret', new Secret('p:w')],
    ]);
    await compile({ introspectEndpoint }, credential)(holding('t'), tools());
    expect(sent[0]?.headers).toMatchObject({ authorization: `Basic ${btoa('gw:p%3Aw')}` });
  });

  test('has the claims of the answer', async () => {
    const parameters = { requiredClaims: ['scope'], extractClaims: ['sub'] };
    const { given } = await ask({ active: true, sub: 'ada', scope: 'read' }, { parameters });
    expect(given).toMatchObject({ verdict: true, transformed: { headers: { 'x-jwt-sub': 'ada' } } });
    expect((await ask({ active: true }, { parameters })).given.verdict).toBe(false);
  });

  test('is asked about every time, unless good answers are kept', async () => {
    const outcomes = async (parameters: object, body: object) => {
      const { world, sent, tools } = createWorld({ body });
      const check = compile({ introspectEndpoint, ...parameters });
      for (const ms of [0, 1_000, 58_000, 1_000]) {
        world.nowMs += ms;
        await check(holding('t'), tools());
      }
      return sent.length;
    };
    expect(await outcomes({}, { active: true })).toBe(4);
    expect(await outcomes({ introspectCacheMaxAge: 60 }, { active: true })).toBe(2);
    expect(await outcomes({ introspectCacheMaxAge: 60 }, { active: false })).toBe(4);
    expect(await outcomes({ introspectCacheMaxAge: 60 }, { active: true, exp: now + 50 })).toBe(3);
  });
});
