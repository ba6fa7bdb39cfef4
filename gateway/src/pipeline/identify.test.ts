import { digestOf, entryId, SIDECAR_PLACEHOLDER_KEY, type SnapshotEntry } from '@gatehouse/crds/snapshot';
import { fakeRequest, KEY, key, organisation, sha256, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { callerOf, viewOf } from './testing.ts';

const ORG_KEY = 'gwk_of_the_organisation';

const world = await viewOf(
  organisation({ defaultWorkspace: 'team-b' }),
  workspace('team-a'),
  workspace('team-b'),
  key(),
  key({ name: 'admin', secret: ORG_KEY, workspace: null }),
  key({ name: 'lost', secret: 'gwk_lost', workspace: 'nowhere' }),
);
const ask = (headers: Record<string, string>, snapshotView = world) => callerOf(fakeRequest({ headers }), snapshotView);

describe('a caller', () => {
  test.for<{ rule: string; headers: Record<string, string>; keyHeaders: string[]; credential?: string }>([
    { rule: 'has its own header first', headers: { 'x-gw-api-key': ` ${KEY} ` }, keyHeaders: ['x-gw-api-key'] },
    { rule: 'the bearer token next', headers: { authorization: `Bearer ${KEY}` }, keyHeaders: ['authorization'] },
    { rule: 'in any case', headers: { authorization: `bearer  ${KEY}` }, keyHeaders: ['authorization'] },
    { rule: 'without its prefix', headers: { authorization: KEY }, keyHeaders: ['authorization'] },
    { rule: 'x-api-key after that', headers: { 'x-api-key': KEY }, keyHeaders: ['x-api-key'] },
    { rule: 'api-key as clients of Azure send it', headers: { 'api-key': ` ${KEY}` }, keyHeaders: ['api-key'] },
    {
      rule: 'x-goog-api-key as clients of Google send it',
      headers: { 'x-goog-api-key': KEY },
      keyHeaders: ['x-goog-api-key'],
    },
    {
      rule: 'the one of two headers for other clients that holds a gateway key',
      headers: { 'api-key': 'azure-key', 'x-goog-api-key': KEY },
      keyHeaders: ['x-goog-api-key'],
    },
    {
      rule: 'no credential in the headers for other clients',
      headers: { 'x-gw-api-key': KEY, 'api-key': 'azure-key', 'x-goog-api-key': 'google-key' },
      keyHeaders: ['x-gw-api-key'],
    },
    {
      rule: 'x-api-key also beside an empty token',
      headers: { authorization: 'Bearer ', 'x-api-key': KEY },
      keyHeaders: ['x-api-key'],
    },
    {
      rule: 'leaves the token as the credential of the provider',
      headers: { 'x-gw-api-key': KEY, authorization: 'Bearer sk-1' },
      keyHeaders: ['x-gw-api-key'],
      credential: 'sk-1',
    },
    {
      rule: 'has no credential when the same key stands everywhere',
      headers: { 'x-gw-api-key': KEY, authorization: `Bearer ${KEY}`, 'x-api-key': KEY },
      keyHeaders: ['x-gw-api-key', 'authorization', 'x-api-key'],
    },
  ])('$rule', ({ headers, keyHeaders, credential }) => {
    const caller = ask(headers);
    expect(caller).toMatchObject({ key: { name: 'main' }, keyHash: sha256(KEY), workspace: { name: 'team-a' } });
    expect([...caller.keyHeaders].sort()).toEqual(keyHeaders.sort());
    expect(caller.credential?.reveal()).toBe(credential);
  });

  test('of the organisation works in the default workspace', () => {
    expect(ask({ 'x-gw-api-key': ORG_KEY }).workspace.name).toBe('team-b');
  });
});

describe('a request is refused', () => {
  test.for<{ rule: string; headers: Record<string, string>; code: string }>([
    { rule: 'without a key', headers: {}, code: 'KEY_INVALID' },
    { rule: 'with an empty key', headers: { 'x-gw-api-key': ' ', 'api-key': ' ' }, code: 'KEY_INVALID' },
    { rule: 'with the key of Azure', headers: { 'api-key': 'azure-key' }, code: 'KEY_INVALID' },
    { rule: 'with the key of Google', headers: { 'x-goog-api-key': 'x'.repeat(200_000) }, code: 'KEY_INVALID' },
    {
      rule: 'with a token that is no key, whatever the headers for other clients hold',
      headers: { authorization: 'Bearer sk-1', 'api-key': KEY },
      code: 'KEY_INVALID',
    },
    { rule: 'with an unknown key', headers: { 'x-gw-api-key': 'nope' }, code: 'KEY_INVALID' },
    { rule: 'with the hash of a key', headers: { 'x-gw-api-key': sha256(KEY) }, code: 'KEY_INVALID' },
    {
      rule: 'with the id of a key',
      headers: { 'x-gw-api-key': entryId('key', 'team-a', 'main') },
      code: 'KEY_INVALID',
    },
    { rule: 'with a huge key', headers: { 'x-gw-api-key': 'x'.repeat(200_000) }, code: 'KEY_INVALID' },
    {
      rule: 'with an unknown key in the first header, whatever the second holds',
      headers: { 'x-gw-api-key': 'nope', authorization: `Bearer ${KEY}` },
      code: 'KEY_INVALID',
    },
    { rule: 'when the workspace is gone', headers: { 'x-gw-api-key': 'gwk_lost' }, code: 'KEY_WITHOUT_WORKSPACE' },
  ])('$rule', ({ headers, code }) => {
    expect(() => ask(headers)).toThrow(expect.objectContaining({ code }));
  });

  test.for([{}, { 'x-gw-api-key': 'nope' }])('naming every header that carries a key: %j', (headers) => {
    expect(() => ask(headers)).toThrow(
      /x-gw-api-key, authorization \(bearer token\), x-api-key, api-key or x-goog-api-key$/,
    );
  });

  test.for([
    {
      headers: { authorization: 'Bearer sk-1', 'api-key': KEY },
      says: 'authorization is no key of this gateway; api-key has one, which counts only without authorization: leave that out, or send the key in x-gw-api-key',
    },
    {
      headers: { 'x-api-key': 'sk-1', 'x-goog-api-key': KEY },
      says: 'x-api-key is no key of this gateway; x-goog-api-key has one, which counts only without x-api-key',
    },
    {
      headers: { 'x-gw-api-key': 'nope', authorization: `Bearer ${KEY}` },
      says: 'authorization has one, which counts only without x-gw-api-key: leave that out',
    },
  ])('naming the header whose key is not looked at: $headers', ({ headers, says }) => {
    expect(() => ask(headers as Record<string, string>)).toThrow(says);
  });

  test.for(['api-key', 'x-goog-api-key'])('naming the header with the value that is no key: %s', (header) => {
    expect(() => ask({ [header]: 'nope' })).toThrow(expect.objectContaining({ param: header }));
  });

  test('when the organisation has no default workspace', async () => {
    const bare = await viewOf(workspace(), key({ name: 'admin', secret: ORG_KEY, workspace: null }));
    expect(() => ask({ 'x-gw-api-key': ORG_KEY }, bare)).toThrow(
      expect.objectContaining({ code: 'KEY_WITHOUT_WORKSPACE' }),
    );
  });
});

describe('on a sidecar', () => {
  const PROFILE = 'app';
  const body = {
    name: PROFILE,
    workspace: 'team-a',
    scopes: ['completions.write'],
    defaults: { allowConfigOverride: true },
  };
  const id = entryId('sidecar', 'team-a', PROFILE);
  const entry: SnapshotEntry<'sidecar'> = {
    ...{ kind: 'sidecar', id, workspace: 'team-a', generation: 1, digest: digestOf(body), body },
  };
  const sidecar = viewOf(workspace('team-a'), entry);
  const askSidecar = async (headers: Record<string, string>, profile = PROFILE) =>
    callerOf(fakeRequest({ headers }), await sidecar, { sidecarProfile: profile });

  test.for<{ rule: string; headers: Record<string, string>; keyHeaders: string[]; credential?: string }>([
    { rule: 'who sends nothing', headers: {}, keyHeaders: [] },
    { rule: 'who opens a WebSocket and is no page', headers: { upgrade: 'websocket' }, keyHeaders: [] },
    { rule: 'who is a page that calls over HTTP', headers: { origin: 'https://app.example' }, keyHeaders: [] },
    {
      rule: 'who sends the placeholder as the OpenAI SDK does',
      headers: { authorization: `Bearer ${SIDECAR_PLACEHOLDER_KEY}` },
      keyHeaders: ['authorization'],
    },
    {
      rule: 'who sends it as the Anthropic SDK does',
      headers: { 'x-api-key': SIDECAR_PLACEHOLDER_KEY },
      keyHeaders: ['x-api-key'],
    },
    {
      rule: 'who sends something where clients of Azure and Google send their keys',
      headers: { 'api-key': 'azure-key', 'x-goog-api-key': SIDECAR_PLACEHOLDER_KEY },
      keyHeaders: [],
    },
    {
      rule: 'who sends it as a gateway key',
      headers: { 'x-gw-api-key': SIDECAR_PLACEHOLDER_KEY, authorization: 'Bearer sk-own' },
      keyHeaders: ['x-gw-api-key'],
      credential: 'sk-own',
    },
    {
      rule: 'who brings the key of a provider',
      headers: { authorization: 'Bearer sk-own' },
      keyHeaders: [],
      credential: 'sk-own',
    },
  ])('$rule is the profile', async ({ headers, keyHeaders, credential }) => {
    const caller = await askSidecar(headers);
    expect(caller).toMatchObject({ key: { id, name: PROFILE }, keyHash: sha256(id), workspace: { name: 'team-a' } });
    expect([...caller.keyHeaders]).toEqual(keyHeaders);
    expect(caller.credential?.reveal()).toBe(credential);
  });

  test.for<{ rule: string; headers: Record<string, string>; profile?: string; code: string }>([
    { rule: 'a gateway key', headers: { 'x-gw-api-key': KEY }, code: 'KEY_INVALID' },
    { rule: 'a gateway key for a bearer token', headers: { authorization: `Bearer ${KEY}` }, code: 'KEY_INVALID' },
    { rule: 'a gateway key as x-api-key', headers: { 'x-api-key': KEY }, code: 'KEY_INVALID' },
    { rule: 'a gateway key as x-goog-api-key', headers: { 'x-goog-api-key': KEY }, code: 'KEY_INVALID' },
    {
      rule: 'a page of a browser that opens a WebSocket',
      headers: { origin: 'https://evil.example', upgrade: 'websocket' },
      code: 'KEY_INVALID',
    },
    { rule: 'a profile that is gone', headers: {}, profile: 'gone', code: 'KEY_WITHOUT_WORKSPACE' },
  ])('$rule is refused', async ({ headers, profile, code }) => {
    await expect(askSidecar(headers, profile)).rejects.toMatchObject({ code });
  });

  test('only: a fleet has no callers without a key, whatever its Snapshot holds', async () => {
    const snapshotView = await sidecar;
    expect(() => ask({}, snapshotView)).toThrow(expect.objectContaining({ code: 'KEY_INVALID' }));
  });
});
