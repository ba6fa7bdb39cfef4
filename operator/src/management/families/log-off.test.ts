import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../index.ts';
import { createTestManagement, type TestManagement } from '../testing.ts';

const FAMILIES = ['analytics.', 'logs.', 'log_exports.', 'feedback.'];
/** Of the organisation, not of the log. */
const RESTRICTIONS = 'log_exports.field_restrictions';
const ID = '00000000-0000-4000-8000-000000000001';

const CALLS = OPERATIONS.map(({ operation }) => operation).filter(
  ({ id }) => FAMILIES.some((family) => id.startsWith(family)) && id !== RESTRICTIONS,
);

const BODIES: Readonly<Record<string, object>> = {
  'feedback.create': { trace_id: 't', value: 1 },
  'feedback.update': { value: 1 },
  'log_exports.create': { filters: {}, requested_data: ['id'], workspace_id: 'team-a' },
  'log_exports.update': { filters: {} },
};

const QUERIES: Readonly<Record<string, string>> = { 'log_exports.file': '?expires=1&signature=x' };

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement([], {
    callers: {
      all: {
        ...{ keyId: 'key', keyName: 'test', type: 'workspace-service', workspace: 'team-a', user: undefined },
        ...{ scopes: new Set(CALLS.flatMap(({ scopes }) => scopes)), expiresAtMs: Number.POSITIVE_INFINITY },
      },
    },
  });
});
afterAll(() => management.close());

describe('where no request log is kept', () => {
  test('there are operations of every family', () => {
    for (const family of FAMILIES) expect(CALLS.some(({ id }) => id.startsWith(family))).toBe(true);
  });

  test.for(CALLS.map(({ id, method, path }) => ({ id, method, path })))(
    '$id says so, and how it is switched on',
    async ({ id, method, path }) => {
      const url = path.replace('{groupBy}', 'model').replaceAll(/\{\w+\}/g, ID);
      const answer = await management.call('all', method as 'GET', `${url}${QUERIES[id] ?? ''}`, BODIES[id]);
      expect([answer.status, answer.body]).toMatchObject([
        501,
        { error: { code: 'request_log_off', message: expect.stringMatching(/--logs.*records/) } },
      ]);
    },
  );

  test('a key without the right is refused first', async () => {
    expect((await management.call('reader', 'GET', '/logs')).status).toBe(403);
  });
});
