/** Adds rows to what analytics sum up: docs/behaviour/request-logs.md#roll-ups */
import { LATENCY_RATIO, LOG_SCHEMA, MAX_LATENCY_STEP } from '@gatehouse/crds/logs';

const bucketOf = (width: 'minute' | 'hour'): string => `date_trunc('${width}', created_at, 'UTC')`;

/** Response times as steps of a logarithmic scale: `crds/src/logs/latency.ts`. */
const LATENCY = `(case when response_ms < 1 then 0
  else least(${MAX_LATENCY_STEP}, 1 + floor(ln(response_ms) / ln(${LATENCY_RATIO}::float8))) end)::smallint`;

/** By which rows are told apart. */
const namesOf = (width: 'minute' | 'hour'): Columns => ({
  bucket: bucketOf(width),
  workspace: 'workspace',
  api_key: "coalesce(api_key, '')",
  provider: "coalesce(provider, '')",
  account: "coalesce(account, '')",
  model: "coalesce(model, '')",
  config: "coalesce(config, '')",
  prompt: "coalesce(prompt, '')",
  status: 'status',
  cache: "coalesce(cache, '')",
  retries: 'retries',
  is_fallback: 'coalesce(target_index, 0) > 0', // nothing reads it: a part of the key stays as it is
  latency: LATENCY,
});

/** Requests and their times are those of final rows; cost and tokens are those of all. */
const ADDED: Columns = {
  requests: 'count(*) filter (where is_final)',
  attempts: 'count(attempt)',
  response_ms: 'coalesce(sum(response_ms) filter (where is_final), 0)',
  cost_nano: 'coalesce(sum(cost_nano), 0)',
  input_tokens: 'sum(input_tokens)',
  output_tokens: 'sum(output_tokens)',
  total_tokens: 'sum(total_tokens)',
  fallbacks: 'count(*) filter (where is_final and fell_back)',
};

/** Columns of `logs` of which sums are told apart. */
export const NAMES = [
  ...['created_at', 'workspace', 'api_key', 'end_user', 'provider', 'account', 'model', 'config', 'prompt'],
  ...['status', 'cache', 'retries', 'target_index', 'response_ms', 'fell_back'],
] as const;

/** Columns of `logs` that sums are made of. */
export const SUMMED = [
  ...NAMES,
  ...['is_final', 'attempt', 'cost_nano', 'input_tokens', 'output_tokens', 'total_tokens'],
] as const;

/** The expression of each column, over columns of `logs`. */
type Columns = Readonly<Record<string, string>>;

interface Sums {
  readonly table: string;
  readonly names: Columns;
  readonly added: Columns;
  readonly where?: string;
}

const END_USERS: Columns = {
  bucket: bucketOf('hour'),
  workspace: 'workspace',
  api_key: "coalesce(api_key, '')",
  end_user: 'end_user',
};

const ALL: readonly Sums[] = [
  { table: 'log_minutes', names: namesOf('minute'), added: ADDED },
  { table: 'log_hours', names: namesOf('hour'), added: ADDED },
  {
    table: 'user_hours',
    names: END_USERS,
    added: { requests: ADDED['requests'] ?? '', cost_nano: ADDED['cost_nano'] ?? '' },
    where: 'end_user is not null',
  },
];

/**
 * The statement that adds what `rows` returns, a statement with the columns SUMMED, to all sums. Those of other rows change in one
 * order, so that transactions which change the same ones wait for each other and for nothing else.
 */
export function addingTo(rows: string): string {
  const [minutes = '', hours = '', users = ''] = ALL.map(insertOf);
  return `with fresh as (${rows}), minutes as (${minutes}), hours as (${hours}) ${users}`;
}

function insertOf({ table, names, added, where = 'true' }: Sums): string {
  const columns = Object.keys({ ...names, ...added }).join(', ');
  const groups = Object.keys(names).map((_, at) => at + 1);
  const sums = Object.keys(added).map((name) => `${name} = sums.${name} + excluded.${name}`);
  return `insert into ${LOG_SCHEMA}.${table} as sums (${columns})
    select ${Object.values({ ...names, ...added }).join(', ')} from fresh where ${where}
    group by ${groups.join(', ')} order by ${groups.join(', ')}
    on conflict (${Object.keys(names).join(', ')}) do update set ${sums.join(', ')}`;
}
