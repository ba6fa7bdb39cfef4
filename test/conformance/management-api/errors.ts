/** What every operation refuses, whatever it is about. */

import { MAX_REST_BODY_BYTES } from '@gatehouse/crds/rest';
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../operator/src/management/index.ts';
import { type Call, OWN_CALLS, type Sent } from './client.ts';
import { CONTRACT_CALLS } from './contract.ts';
import type { StageOf } from './world.ts';

const ACCEPT: Call = 'POST /admin/users/invites/accept';
/** Those of directories have errors of their own: families/directory.ts. */
export const SERVED: readonly Call[] = [...CONTRACT_CALLS, ...OWN_CALLS];

/** Segments that are words of the API, not names of objects. */
const WORDS: ReadonlySet<string> = new Set(['type', 'subType', 'direction', 'metadataKey', 'groupBy']);

const namesOf = (call: Call): readonly string[] =>
  [...call.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => (WORDS.has(name) ? [] : [name]));

/** They have no query, and look at none. */
const WITHOUT_QUERY: readonly Call[] = [
  'GET /reference/providers',
  'GET /admin/organisation/defaults',
  'GET /workspace-exclusions/{direction}',
];

/** Replays what was sent with the last success, so it comes after the tests of families. */
export function testErrors(stage: StageOf): void {
  const goodOf = (call: Call): Sent => {
    const sent = stage().client.good.get(call);
    if (sent === undefined) throw new Error(`no test of a family has called ${call}`);
    return sent;
  };
  const bodyOf = (call: Call): object | undefined => {
    const { body } = goodOf(call);
    return typeof body === 'object' ? body : undefined;
  };

  test.for(SERVED.filter((call) => call !== ACCEPT))('%s needs a key that is known', async (call) => {
    const { client } = stage();
    for (const key of [null, 'gwk_unknown']) {
      const answer = await client.attempt(call, { ...goodOf(call), key });
      expect(answer).toMatchObject({ status: 401, body: { errorCode: 'AB05' } });
    }
  });

  test('operations with scopes need one of them', async () => {
    const { client, world } = stage();
    const path = { type: 'workspace', subType: 'service' };
    const body = { name: 'Weak', slug: 'weak', workspace_id: world.workspace, scopes: ['models.list'] };
    const { key } = (await client.call('POST /api-keys/{type}/{subType}', { path, body })).body;
    const isKnown = async () => (await client.attempt('GET /reference/providers', { key })).status === 200;
    await waitFor(isKnown, { what: 'the key' });
    for (const { operation } of OPERATIONS) {
      if (operation.scopes.length === 0) continue;
      const call = `${operation.method} ${operation.path}` as Call; // document.test.ts compares them with the contract
      const answer = await client.attempt(call, { ...goodOf(call), key });
      expect(answer, call).toMatchObject({ status: 403, body: { errorCode: 'AB03' } });
    }
  });

  test.for(SERVED.filter((call) => namesOf(call).length > 0))('%s knows what does not exist', async (call) => {
    const { client, world } = stage();
    const { path, query, body } = goodOf(call);
    for (const absent of ['no-such-object', '00000000-0000-4000-8000-000000000000']) {
      const names = Object.fromEntries(namesOf(call).map((name) => [name, absent]));
      const named = {
        ...path,
        ...names,
        ...(call.includes('{userId}') && path?.['workspaceId'] ? { workspaceId: world.workspace } : {}),
      };
      const answer = await client.attempt(call, { path: named, ...(query && { query }), ...(body && { body }) });
      expect(answer, call).toMatchObject({ status: 404, body: { errorCode: 'AB02' } });
    }
  });

  test('bodies are JSON of at most 1 MiB, and have no members that are not known', async () => {
    const { client } = stage();
    const calls = SERVED.filter((call) => bodyOf(call) !== undefined);
    expect(calls.length).toBeGreaterThan(35);
    for (const call of calls) {
      const { path, query } = goodOf(call);
      const send = (body: object | string) =>
        client.attempt(call, {
          ...(path && { path }),
          ...(query && { query }),
          ...(call === ACCEPT && { key: null }),
          body,
        });
      const misspelt = await send({ ...bodyOf(call), misspelt_member: 1 });
      expect(misspelt, call).toMatchObject({
        status: 400,
        body: { errorCode: 'AB01', error: { param: 'misspelt_member' } },
      });
      expect(await send('{"name": '), call).toMatchObject({ status: 400, body: { errorCode: 'AB01' } });
      expect(await send(`"${'x'.repeat(MAX_REST_BODY_BYTES)}"`), call).toMatchObject({ status: 413 });
    }
  });

  test.for(CONTRACT_CALLS.filter((call) => call.startsWith('GET ') && namesOf(call).length === 0))(
    '%s refuses a query that is not known',
    async (call) => {
      const { client } = stage();
      const answer = await client.attempt(call, { ...goodOf(call), query: { misspelt_member: '1' } });
      if (answer.status === 200) expect(WITHOUT_QUERY).toContain(call);
      else expect(answer).toMatchObject({ status: 400, body: { errorCode: 'AB01' } });
    },
  );

  test('a key that makes too many calls is told to come back', async () => {
    const { client, world } = stage();
    const path = { type: 'workspace', subType: 'service' };
    const body = { name: 'Busy', slug: 'busy', workspace_id: world.workspace, scopes: ['configs.list'] };
    const { key } = (await client.call('POST /api-keys/{type}/{subType}', { path, body })).body;
    await waitFor(async () => (await client.attempt('GET /configs', { key })).status === 200, { what: 'the key' });
    const refused = await waitFor(
      async () => {
        const answers = await Promise.all(Array.from({ length: 200 }, () => client.attempt('GET /configs', { key })));
        return answers.find(({ status }) => status === 429);
      },
      { what: 'an answer that says too many' },
    );
    expect(refused.body).toMatchObject({ errorCode: 'AB06' });
    await client.call('GET /configs', { query: { workspace_id: world.workspace } });
  });
}
