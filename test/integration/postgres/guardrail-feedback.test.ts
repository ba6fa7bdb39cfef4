/** Feedback that guardrails give, in the database of the request log: docs/behaviour/request-logs.md#feedback-of-guardrails. */
import { startPostgres } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createPostgresStore } from '../../../gateway/src/request-log/index.ts';
import { postgresDialect } from '../../../gateway/src/store/index.ts';
import { startWorld } from '../../kit/gateway.ts';
import { guardrail, TEAM, workspace } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const WRITTEN = 'gatehouse_guardrail_feedback_written_total';
const says = (word: string) => [{ id: 'default.contains', parameters: { words: [word], operator: 'any' } }];

test('is kept for the trace, of guardrails before and after the answer, until its day is dropped; what people say stays', async () => {
  await using server = await startPostgres();
  const url = await server.database();
  const read = async (query: string): Promise<unknown> =>
    JSON.parse(await server.sql(query, new URL(url).pathname.slice(1)));
  await using world = await startWorld({
    env: { GATEHOUSE_LOGS_DATABASE_URL: url },
    entries: () => [
      workspace(TEAM, { defaults: { inputGuardrails: ['polite', 'watching'] } }),
      guardrail('polite', says('please'), {
        deny: false,
        onSuccess: { value: 5, weight: 1 },
        onFail: { value: -5, weight: 0.5 },
      }),
      guardrail('watching', says('hello'), { deny: false, async: true, onSuccess: { value: 2, weight: 1 } }),
    ],
  });
  const answer = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai', 'x-gw-trace-id': 'judged', 'x-gw-strict-open-ai-compliance': 'false' },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hello' }] },
  });
  expect(answer.status).toBe(246);
  expect(answer.json()).toMatchObject({
    hook_results: {
      before_request_hooks: [{ feedback: { value: -5, metadata: { failedChecks: 'default.contains' } } }],
    },
  });
  await waitFor(async () => (await world.metric(WRITTEN)) === 2, { what: 'two feedbacks' });
  expect(
    await read(`select workspace, trace_id, value, weight, metadata, api_key, guardrail, updated_at = created_at as is_new
      from gateway_logs.feedback order by value`),
  ).toEqual([
    {
      ...{ workspace: TEAM, trace_id: 'judged', value: -5, weight: 0.5, api_key: `key/${TEAM}/main`, is_new: true },
      ...{
        guardrail: 'polite',
        metadata: { successfulChecks: '', failedChecks: 'default.contains', erroredChecks: '' },
      },
    },
    {
      ...{ workspace: TEAM, trace_id: 'judged', value: 2, weight: 1, api_key: `key/${TEAM}/main`, is_new: true },
      ...{
        guardrail: 'watching',
        metadata: { successfulChecks: 'default.contains', failedChecks: '', erroredChecks: '' },
      },
    },
  ]);

  const named = `select count(*)::int as n from gateway_logs.logs l, jsonb_array_elements(l.decision -> 'guardrails') said
    join gateway_logs.feedback f on f.id::text = said ->> 'feedback' and f.guardrail = said ->> 'id' and f.value = -5`;
  await waitFor(async () => JSON.stringify(await read(named)) === '[{"n":1}]', {
    what: 'a row with the id of the feedback',
  });

  await read(`with given as (insert into gateway_logs.feedback
    select gen_random_uuid(), workspace, trace_id, value, weight, metadata, api_key, key_user, created_at, updated_at
    from gateway_logs.feedback where value = 2 returning 1) select 1 as n from given`);
  const store = createPostgresStore(postgresDialect({ url }));
  await store.dropBefore(Date.now());
  expect(await read('select count(*)::int as n from gateway_logs.feedback')).toEqual([{ n: 3 }]);
  await store.dropBefore(Date.now() + 86_400_000);
  await store.close();
  expect(await read('select guardrail from gateway_logs.feedback')).toEqual([{ guardrail: null }]);
});
