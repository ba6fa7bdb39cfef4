/** People who use `kubectl apply` and clients of REST on the same objects: nobody's work is lost, and nothing goes back and forth. */
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runKubectl } from '../../cluster/index.ts';
import { type ApiClient, createApiClient } from '../../conformance/management-api/client.ts';
import { type KubeThing, ours, read } from '../operator/support.ts';
import { type ClusterWorld, openCluster } from './world.ts';

const AUDIT = z.object({ records: z.array(z.looseObject({ uri: z.string() })) });
const UPDATE = 'PUT /policies/rate-limits/{rateLimitsPolicyId}';

let world: ClusterWorld;
let client: ApiClient;
beforeAll(async () => {
  world = await openCluster();
  client = await createApiClient(world);
});
afterAll(() => world?.[Symbol.asyncDispose]());

const there = (name: string): KubeThing => ours('RateLimitPolicy', { name, namespace: world.workspace }, {});
const live = async (name: string): Promise<KubeThing> => {
  const found = await read(world.stage.cluster, there(name));
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};
const kubectl = (command: readonly string[], manifest: object): Promise<string> =>
  runKubectl(world.stage.cluster, [...command, '-f', '-'], { input: JSON.stringify(manifest) });

async function made(slug: string) {
  const body = {
    ...{ name: 'Slow', slug, workspace_id: world.workspace, type: 'requests', unit: 'rpm', value: 10 },
    conditions: [{ key: 'model', value: '*' }],
    group_by: [{ key: 'api_key' }],
  };
  await client.call('POST /policies/rate-limits', { body });
  const { metadata, spec } = await live(slug);
  return { metadata, spec: { ...(spec as object) } }; // as the API has made it
}

/** Its UUID: the path of one of a workspace, for a key of the organisation. */
const pathOf = async (name: string) => ({ rateLimitsPolicyId: String((await live(name)).metadata.uid) });

/** Until the watch of the management API has read what kubectl has written. */
const untilShown = async (name: string, value: number): Promise<void> => {
  const path = await pathOf(name);
  await waitFor(
    async () =>
      (await client.call('GET /policies/rate-limits/{rateLimitsPolicyId}', { path })).text.includes(`"value":${value}`),
    { what: 'the value' },
  );
};

test('kubectl finds and makes no difference in what REST has written, on either side', async () => {
  const { metadata, spec } = await made('shared');
  const manifest = { ...there('shared'), spec };
  await kubectl(['diff'], manifest);
  await kubectl(['diff', '--server-side', '--field-manager', 'kubectl'], manifest);
  await kubectl(['apply'], manifest);
  const after = await live('shared');
  expect([after.spec, after.metadata.generation]).toEqual([spec, metadata.generation]);
  await kubectl(['diff'], manifest);
});

test('REST keeps what kubectl has set, and kubectl what REST has set', async () => {
  const { spec } = await made('both');
  await kubectl(['apply'], { ...there('both'), spec: { ...spec, value: 20 } });
  await untilShown('both', 20);
  const path = await pathOf('both');
  await client.call(UPDATE, { path, body: { description: 'of REST' } });
  expect((await live('both')).spec).toEqual({ ...spec, value: 20, description: 'of REST' });
  const refused = await client.call(UPDATE, { path, body: { value: 30 }, status: 409 });
  expect(refused.text).toContain('kubectl');
  await kubectl(['apply'], { ...there('both'), spec: { ...spec, value: 40 } });
  expect((await live('both')).spec).toEqual({ ...spec, value: 40, description: 'of REST' });
  await untilShown('both', 40);
  await client.call(UPDATE, { path, query: { force: 'true' }, body: { value: 50 } });
  expect((await live('both')).spec).toEqual({ ...spec, value: 50, description: 'of REST' });
});

test('what kubectl writes has audit records, with what wrote it', async () => {
  const { spec } = await made('audited');
  const manifest = { ...there('audited'), spec: { ...spec, value: 25 } };
  await kubectl(['apply', '--server-side', '--force-conflicts', '--field-manager', 'of-a-test'], manifest);
  await kubectl(['delete'], manifest);
  const query = { user_type: 'kubernetes', resource_type: 'ratelimitpolicies' };
  const records = await waitFor(
    async () => {
      const { text } = await client.call('GET /audit-logs', { query });
      const { records } = AUDIT.parse(JSON.parse(text));
      const own = records.filter(({ uri }) => uri.endsWith('/audited'));
      return own.length === 2 ? own : undefined;
    },
    { what: 'two records' },
  );
  expect(records).toMatchObject([
    { action: 'delete', user_id: null, changes: [{ before: { value: 25 }, after: null }] },
    { action: 'update', user_id: 'of-a-test', changes: [{ before: { value: 10 }, after: { value: 25 } }] },
  ]);
});
