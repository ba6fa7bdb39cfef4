import { entryId } from '@gatehouse/crds/snapshot';
import { type Entries, fakeRequest, KEY, key, organisation, sha256, snapshot, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createSnapshotHolder, type SnapshotView } from '../snapshot/index.ts';
import { identify } from './identify.ts';

const ORG_KEY = 'gwk_of_the_organisation';

async function view(...entries: Entries): Promise<SnapshotView> {
  const holder = createSnapshotHolder({ providers: new Map() });
  await holder.load(1, snapshot(...entries));
  if (holder.current === undefined) throw new Error(holder.status.rejected?.reason);
  return holder.current;
}

const world = await view(
  organisation({ defaultWorkspace: 'team-b' }),
  workspace('team-a'),
  workspace('team-b'),
  key(),
  key({ name: 'admin', secret: ORG_KEY, workspace: null }),
  key({ name: 'lost', secret: 'gwk_lost', workspace: 'nowhere' }),
);
const ask = (headers: Record<string, string>, snapshotView = world) => identify(fakeRequest({ headers }), snapshotView);

describe('a caller', () => {
  test.for<{ rule: string; headers: Record<string, string>; keyHeaders: string[]; credential?: string }>([
    { rule: 'has its own header first', headers: { 'x-gw-api-key': ` ${KEY} ` }, keyHeaders: ['x-gw-api-key'] },
    { rule: 'the bearer token next', headers: { authorization: `Bearer ${KEY}` }, keyHeaders: ['authorization'] },
    { rule: 'in any case', headers: { authorization: `bearer  ${KEY}` }, keyHeaders: ['authorization'] },
    { rule: 'without its prefix', headers: { authorization: KEY }, keyHeaders: ['authorization'] },
    { rule: 'x-api-key last', headers: { 'x-api-key': KEY }, keyHeaders: ['x-api-key'] },
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
    expect(caller.credential).toBe(credential);
  });

  test('of the organisation works in the default workspace', () => {
    expect(ask({ 'x-gw-api-key': ORG_KEY }).workspace.name).toBe('team-b');
  });
});

describe('a request is refused', () => {
  test.for<{ rule: string; headers: Record<string, string>; code: string }>([
    { rule: 'without a key', headers: {}, code: 'KEY_INVALID' },
    { rule: 'with an empty key', headers: { 'x-gw-api-key': ' ' }, code: 'KEY_INVALID' },
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

  test('when the organisation has no default workspace', async () => {
    const bare = await view(workspace(), key({ name: 'admin', secret: ORG_KEY, workspace: null }));
    expect(() => ask({ 'x-gw-api-key': ORG_KEY }, bare)).toThrow(
      expect.objectContaining({ code: 'KEY_WITHOUT_WORKSPACE' }),
    );
  });
});
