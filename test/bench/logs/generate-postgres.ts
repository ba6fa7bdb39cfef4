/** Rows of the request log, made by the database itself, with the roll-ups that gateways would have kept of them. */
import { createPartition, DAILY_TABLES, dayOf, LATENCY_RATIO, MAX_LATENCY_STEP } from '@gatehouse/crds/logs';
import { DAY_MS, type GeneratedRows, WORKSPACES } from './generated.ts';

const TEXTS = WORKSPACES.map((name) => `'${name}'`).join(', ');

/** One statement for each day, so that each of them is short; then one for each roll-up. */
export function postgresRows({ rows, days, end }: GeneratedRows): readonly string[] {
  const first = dayOf(end) - days * DAY_MS;
  const all = Array.from({ length: days }, (_, day) => first + day * DAY_MS);
  return [
    ...all.flatMap((day) => DAILY_TABLES.map((table) => createPartition(table, day))),
    ...all.map((day, at) => rowsOfDay(day, Math.round(rows / days), at)),
    rollUp('log_minutes', 'minute'),
    rollUp('log_hours', 'hour'),
    USERS,
    ...feedbackOn({ rows, days, end }),
    'analyze',
  ];
}

/** Of 3 workspaces, 40 keys, 5 providers with 3 models each, 10 configs and 5,000 users; a fifth of the answers is from the cache. */
const rowsOfDay = (day: number, count: number, seed: number): string => `
  insert into gateway_logs.logs
  select gen_random_uuid(), to_timestamp(${day / 1_000} + 86400.0 * i / ${count}),
    (array[${TEXTS}])[1 + i % 5], 'trace-' || ${seed} || '-' || i,
    gen_random_uuid(), null, null, null,
    'key/team/' || i % 40, 'Key ' || i % 40, case when i % 3 = 0 then 'person-' || i % 100 end,
    'user-' || (i * 7919) % 5000, 'production', 'unified', 'chatComplete', 'POST', '/v1/chat/completions',
    0, i % 20 <> 0, (array[200, 200, 200, 200, 200, 200, 200, 200, 429, 500])[1 + (i * 31) % 10], null,
    'provider-' || i % 5, 'account-' || i % 5, 'model-' || i % 5 || '-' || (i / 5) % 3, null,
    'config-' || (i / 7) % 10, '1', 'fallback', 'config.targets[0]', case when i % 25 = 0 then 1 else 0 end,
    null, null, i % 2 = 0, (array['HIT', 'MISS', 'MISS', 'MISS', 'MISS'])[1 + (i / 3) % 5],
    case when i % 50 = 0 then 1 else 0 end,
    exp(3 + 5 * random()), 100, 200, 1, 500 + i % 1000, 100 + i % 300, 600 + i % 1300, 0, 0,
    1000000 + i % 5000000, false, false, false,
    jsonb_build_object('team', 'team-' || i % 30, 'region', 'region-' || i % 4), '{"calls": 1}', 7, '0.1.0', 'none'
  from generate_series(0, ${count} - 1) i`;

const NAMES =
  "workspace, coalesce(api_key, ''), coalesce(provider, ''), coalesce(account, ''), coalesce(model, ''), coalesce(config, ''), coalesce(prompt, ''), status, coalesce(cache, ''), retries, coalesce(target_index, 0) > 0";

const LATENCY = `least(${MAX_LATENCY_STEP}, 1 + floor(ln(greatest(response_ms, 1)) / ln(${LATENCY_RATIO}::float8)))::smallint`;

const rollUp = (table: string, width: string): string => `
  insert into gateway_logs.${table}
  select date_trunc('${width}', created_at, 'UTC'), ${NAMES}, ${LATENCY},
    count(*) filter (where is_final), count(*), coalesce(sum(response_ms) filter (where is_final), 0),
    sum(coalesce(cost_nano, 0)), sum(input_tokens), sum(output_tokens), sum(total_tokens)
  from gateway_logs.logs group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13`;

const USERS = `
  insert into gateway_logs.user_hours
  select date_trunc('hour', created_at, 'UTC'), workspace, coalesce(api_key, ''), end_user,
    count(*) filter (where is_final), sum(coalesce(cost_nano, 0))
  from gateway_logs.logs where end_user is not null group by 1, 2, 3, 4`;

/** On one of a hundred rows, and on no more than 100,000 of them. */
export function feedbackOn({ rows, days, end }: GeneratedRows): readonly string[] {
  const first = dayOf(end) - days * DAY_MS;
  const count = Math.round(rows / days);
  const step = Math.max(100, Math.ceil(rows / MAX_FEEDBACK));
  return Array.from(
    { length: days },
    (_, day) => `
  insert into gateway_logs.feedback
  select gen_random_uuid(), (array[${TEXTS}])[1 + i % 5], 'trace-${day}-' || i, (i / ${step} % 21 - 10)::smallint, 1, '{}', null, null,
    to_timestamp(${(first + day * DAY_MS) / 1_000} + 86400.0 * i / ${count}), to_timestamp(${(first + day * DAY_MS) / 1_000} + 86400.0 * i / ${count})
  from generate_series(${day}, ${count} - 1, ${step + 1}) i`,
  );
}

/** Of more traces ClickHouse is not asked. */
const MAX_FEEDBACK = 100_000;
