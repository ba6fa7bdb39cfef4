/** Every operation of the management API, as its contract has it: docs/behaviour/management.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Call, createApiClient } from './client.ts';
import { DIRECTORY_CALLS } from './contract.ts';
import { SERVED, testErrors } from './errors.ts';
import { testAccounts } from './families/accounts.ts';
import { testDirectory } from './families/directory.ts';
import { testKeys } from './families/keys.ts';
import { testMcp } from './families/mcp.ts';
import { testPolicies } from './families/policies.ts';
import { testPrompts } from './families/prompts.ts';
import { testRecords } from './families/records.ts';
import { testRouting } from './families/routing.ts';
import { testSecrets } from './families/secrets.ts';
import { testTenants } from './families/tenants.ts';
import type { ApiStage, ManagementWorld } from './world.ts';

export type { ManagementWorld } from './world.ts';

/** Only requests make groups and logs: policy-groups.test.ts and logs.test.ts have some. */
const OF_REQUESTS: ReadonlySet<Call> = new Set([
  'PUT /policies/usage-limits/{policyUsageLimitsId}/entities/{entityId}/reset',
  'GET /logs/{logId}',
]);

/** The tests go on from one another: the last ones need what the first ones have sent. */
export function describeManagementApi(name: string, open: () => Promise<ManagementWorld>): void {
  describe(`the management API over ${name}`, () => {
    let opened: ApiStage | undefined;
    const stage = (): ApiStage => {
      if (opened === undefined) throw new Error('the world has not been opened');
      return opened;
    };
    beforeAll(async () => {
      const world = await open();
      opened = { world, client: await createApiClient(world) };
    });
    afterAll(() => opened?.world[Symbol.asyncDispose]());

    for (const testFamily of [
      testPolicies,
      testRouting,
      testAccounts,
      testKeys,
      testPrompts,
      testMcp,
      testRecords,
      testTenants,
      testDirectory,
      testSecrets,
    ]) {
      testFamily(stage);
    }
    testErrors(stage);

    test('every operation was called with success, and none failed', () => {
      const { client } = stage();
      const expected = [...SERVED, ...DIRECTORY_CALLS].filter((call) => !OF_REQUESTS.has(call));
      const succeeded = (call: Call): boolean => [...(client.seen.get(call) ?? [])].some((status) => status < 300);
      expect(expected.filter((call) => !succeeded(call))).toEqual([]);
      const statuses = new Set([...client.seen.values()].flatMap((all) => [...all]));
      expect([...statuses].sort()).toEqual([200, 201, 204, 400, 401, 403, 404, 409, 413, 429]);
    });

    test('people are away with their database, and nothing else is', async () => {
      const { world, client } = stage();
      if (world.stopDatabase === undefined) return;
      await world.stopDatabase();
      await client.call('GET /admin/users', { status: 503 });
      await client.call('GET /configs', { query: { workspace_id: world.workspace } });
    });
  });
}
