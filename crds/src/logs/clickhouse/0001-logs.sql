-- As the tables of PostgreSQL. roll-ups are views that sum up what is inserted. A block that is inserted twice counts once.
create table if not exists gateway_logs.logs (
  id UUID,
  created_at DateTime64(3, 'UTC'),
  workspace LowCardinality(String),
  trace_id String,
  request_id UUID,
  span_id Nullable(String),
  parent_span_id Nullable(String),
  span_name Nullable(String),
  api_key LowCardinality(Nullable(String)),
  api_key_name LowCardinality(Nullable(String)),
  key_user LowCardinality(Nullable(String)),
  end_user Nullable(String),
  environment LowCardinality(Nullable(String)),
  source LowCardinality(String),
  operation LowCardinality(String),
  method LowCardinality(String),
  url String,
  attempt UInt16,
  is_final Bool,
  status UInt16,
  error LowCardinality(Nullable(String)),
  provider LowCardinality(Nullable(String)),
  account LowCardinality(Nullable(String)),
  model LowCardinality(Nullable(String)),
  answered_model LowCardinality(Nullable(String)),
  config LowCardinality(Nullable(String)),
  config_version LowCardinality(Nullable(String)),
  mode LowCardinality(Nullable(String)),
  target LowCardinality(Nullable(String)),
  target_index Nullable(UInt16),
  prompt LowCardinality(Nullable(String)),
  prompt_version LowCardinality(Nullable(String)),
  is_stream Bool,
  cache LowCardinality(Nullable(String)),
  retries Int16,
  response_ms Float64,
  upstream_ms Float64,
  last_byte_ms Float64,
  gateway_ms Float64,
  input_tokens UInt64,
  output_tokens UInt64,
  total_tokens UInt64,
  cached_tokens UInt64,
  reasoning_tokens UInt64,
  cost_nano Nullable(Int64),
  is_estimated Bool,
  is_unpriced Bool,
  is_denied Bool,
  metadata Map(LowCardinality(String), String),
  decision String CODEC(ZSTD(3)),
  snapshot UInt64,
  gateway_version LowCardinality(String),
  document String,
  index by_id id type bloom_filter granularity 1,
  index by_trace trace_id type bloom_filter granularity 1
) engine = MergeTree partition by toYYYYMMDD(created_at) order by (workspace, created_at, id) settings non_replicated_deduplication_window = 10000;

create table if not exists gateway_logs.documents (
  id UUID,
  created_at DateTime64(3, 'UTC'),
  workspace LowCardinality(String),
  content String CODEC(ZSTD(3))
) engine = MergeTree partition by toYYYYMMDD(created_at) order by (workspace, created_at, id) settings non_replicated_deduplication_window = 10000;

create table if not exists gateway_logs.log_minutes (
  bucket DateTime('UTC'),
  workspace LowCardinality(String),
  api_key LowCardinality(String),
  provider LowCardinality(String),
  account LowCardinality(String),
  model LowCardinality(String),
  config LowCardinality(String),
  prompt LowCardinality(String),
  status UInt16,
  cache LowCardinality(String),
  retries Int16,
  is_fallback Bool,
  latency UInt8,
  requests UInt64,
  attempts UInt64,
  response_ms Float64,
  cost_nano Int64,
  input_tokens UInt64,
  output_tokens UInt64,
  total_tokens UInt64
) engine = SummingMergeTree((requests, attempts, response_ms, cost_nano, input_tokens, output_tokens, total_tokens)) partition by toYYYYMMDD(bucket) order by (workspace, bucket, api_key, provider, account, model, config, prompt, status, cache, retries, is_fallback, latency) settings non_replicated_deduplication_window = 10000;

create table if not exists gateway_logs.log_hours (
  bucket DateTime('UTC'),
  workspace LowCardinality(String),
  api_key LowCardinality(String),
  provider LowCardinality(String),
  account LowCardinality(String),
  model LowCardinality(String),
  config LowCardinality(String),
  prompt LowCardinality(String),
  status UInt16,
  cache LowCardinality(String),
  retries Int16,
  is_fallback Bool,
  latency UInt8,
  requests UInt64,
  attempts UInt64,
  response_ms Float64,
  cost_nano Int64,
  input_tokens UInt64,
  output_tokens UInt64,
  total_tokens UInt64
) engine = SummingMergeTree((requests, attempts, response_ms, cost_nano, input_tokens, output_tokens, total_tokens)) partition by toYYYYMMDD(bucket) order by (workspace, bucket, api_key, provider, account, model, config, prompt, status, cache, retries, is_fallback, latency) settings non_replicated_deduplication_window = 10000;

create table if not exists gateway_logs.user_hours (
  bucket DateTime('UTC'),
  workspace LowCardinality(String),
  api_key LowCardinality(String),
  end_user String,
  requests UInt64,
  cost_nano Int64
) engine = SummingMergeTree((requests, cost_nano)) partition by toYYYYMMDD(bucket) order by (workspace, bucket, api_key, end_user) settings non_replicated_deduplication_window = 10000;

create materialized view if not exists gateway_logs.sum_minutes to gateway_logs.log_minutes as
select toStartOfMinute(created_at) as bucket, workspace, ifNull(logs.api_key, '') as api_key, ifNull(logs.provider, '') as provider, ifNull(logs.account, '') as account, ifNull(logs.model, '') as model, ifNull(logs.config, '') as config, ifNull(logs.prompt, '') as prompt, status, ifNull(logs.cache, '') as cache, retries, ifNull(target_index, 0) > 0 as is_fallback, if(logs.response_ms < 1, 0, least(224, 1 + floor(log(logs.response_ms) / log(1.1)))) as latency, countIf(is_final) as requests, count() as attempts, sumIf(logs.response_ms, is_final) as response_ms, sum(ifNull(logs.cost_nano, 0)) as cost_nano, sum(logs.input_tokens) as input_tokens, sum(logs.output_tokens) as output_tokens, sum(logs.total_tokens) as total_tokens
from gateway_logs.logs as logs
group by bucket, workspace, api_key, provider, account, model, config, prompt, status, cache, retries, is_fallback, latency;

create materialized view if not exists gateway_logs.sum_hours to gateway_logs.log_hours as
select toStartOfHour(created_at) as bucket, workspace, ifNull(logs.api_key, '') as api_key, ifNull(logs.provider, '') as provider, ifNull(logs.account, '') as account, ifNull(logs.model, '') as model, ifNull(logs.config, '') as config, ifNull(logs.prompt, '') as prompt, status, ifNull(logs.cache, '') as cache, retries, ifNull(target_index, 0) > 0 as is_fallback, if(logs.response_ms < 1, 0, least(224, 1 + floor(log(logs.response_ms) / log(1.1)))) as latency, countIf(is_final) as requests, count() as attempts, sumIf(logs.response_ms, is_final) as response_ms, sum(ifNull(logs.cost_nano, 0)) as cost_nano, sum(logs.input_tokens) as input_tokens, sum(logs.output_tokens) as output_tokens, sum(logs.total_tokens) as total_tokens
from gateway_logs.logs as logs
group by bucket, workspace, api_key, provider, account, model, config, prompt, status, cache, retries, is_fallback, latency;

create materialized view if not exists gateway_logs.sum_users to gateway_logs.user_hours as
select toStartOfHour(created_at) as bucket, workspace, ifNull(logs.api_key, '') as api_key, ifNull(logs.end_user, '') as end_user, countIf(is_final) as requests, sum(ifNull(logs.cost_nano, 0)) as cost_nano
from gateway_logs.logs as logs
where logs.end_user is not null
group by bucket, workspace, api_key, end_user;
