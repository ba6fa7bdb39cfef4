/** Rows of sidecars in the database of their fleet: docs/behaviour/sidecars.md#request-log. */
import { randomUUID } from 'node:crypto';
import { startPostgres } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { send } from '../../kit/http.ts';
import { logRow } from '../../kit/log-row.ts';
import { askSidecar, startSidecarWorld } from '../../kit/sidecar-world.ts';
import { TEAM } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const LONG = 'x'.repeat(1_022);

test('rows of a sidecar, and the largest that a hostile pod may send, are written by the fleet and refused by no column', async () => {
  await using server = await startPostgres();
  const url = await server.database();
  const read = async (query: string): Promise<unknown> =>
    JSON.parse(await server.sql(query, new URL(url).pathname.slice(1)));
  await using world = await startSidecarWorld();
  await using fleet = await world.startFleet({}, { env: { GATEHOUSE_LOGS_DATABASE_URL: url } });
  await using one = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits: {}, records: true });
  expect((await askSidecar(one)).status).toBe(200);

  const extreme = {
    ...logRow({ api_key: `sidecar/${TEAM}/app`, created_at: Date.now(), trace_id: 'extreme' }),
    ...{ model: `\u0000${LONG}`, account: '\ud800', config: LONG, provider: LONG, end_user: LONG, url: LONG },
    ...{ attempt: 32_767, status: 999, target_index: 32_767, retries: 32_767, snapshot: Number.MAX_SAFE_INTEGER },
    ...{ response_ms: 1e9, input_tokens: 1e9, output_tokens: 1e9, total_tokens: 1e9, cost_nano: 200_000_000_000 },
    metadata: { '\u0000': '\ud800', a: 'b' },
  };
  const records = Array.from({ length: 100 }, () => ({
    row: { ...extreme, id: randomUUID() },
    content: '{"request":{"body":"\\u0000\\ud800"}}',
  }));
  const answer = await send(`${fleet.url}/sidecars/v1/records`, {
    headers: { 'x-gw-api-key': await world.tokenOf('evil') },
    body: { id: 'extreme', records },
  });
  expect([answer.status, answer.json()]).toEqual([200, { refused: 0 }]);

  await waitFor(async () => (await fleet.metric('gatehouse_request_log_written_total')) === 101, { what: '101 rows' });
  expect(await fleet.metric('gatehouse_request_log_dropped_total')).toBe(0);
  expect(
    await read(`select workspace, account, count(*)::int as n from gateway_logs.logs
      where trace_id <> 'extreme' group by 1, 2`),
  ).toEqual([{ workspace: TEAM, account: 'local', n: 1 }]);
  expect(
    await read(`select sum(requests)::int as n, sum(cost_nano)::text as cost from gateway_logs.log_hours
      where provider like 'x%'`),
  ).toEqual([{ n: 100, cost: '20000000000000' }]);
});
