-- As in PostgreSQL. the key of a roll-up cannot be changed, so that fallbacks are summed up beside it.
alter table gateway_logs.logs add column if not exists fell_back Bool;

create table if not exists gateway_logs.fallback_minutes (
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
  latency UInt8,
  fallbacks UInt64
) engine = SummingMergeTree((fallbacks)) partition by toYYYYMMDD(bucket) order by (workspace, bucket, api_key, provider, account, model, config, prompt, status, cache, retries, latency) settings non_replicated_deduplication_window = 10000;

create table if not exists gateway_logs.fallback_hours (
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
  latency UInt8,
  fallbacks UInt64
) engine = SummingMergeTree((fallbacks)) partition by toYYYYMMDD(bucket) order by (workspace, bucket, api_key, provider, account, model, config, prompt, status, cache, retries, latency) settings non_replicated_deduplication_window = 10000;

create materialized view if not exists gateway_logs.sum_fallback_minutes to gateway_logs.fallback_minutes as
select toStartOfMinute(created_at) as bucket, workspace, ifNull(logs.api_key, '') as api_key, ifNull(logs.provider, '') as provider, ifNull(logs.account, '') as account, ifNull(logs.model, '') as model, ifNull(logs.config, '') as config, ifNull(logs.prompt, '') as prompt, status, ifNull(logs.cache, '') as cache, retries, if(logs.response_ms < 1, 0, least(224, 1 + floor(log(logs.response_ms) / log(1.1)))) as latency, count() as fallbacks
from gateway_logs.logs as logs
where is_final and fell_back
group by bucket, workspace, api_key, provider, account, model, config, prompt, status, cache, retries, latency;

create materialized view if not exists gateway_logs.sum_fallback_hours to gateway_logs.fallback_hours as
select toStartOfHour(created_at) as bucket, workspace, ifNull(logs.api_key, '') as api_key, ifNull(logs.provider, '') as provider, ifNull(logs.account, '') as account, ifNull(logs.model, '') as model, ifNull(logs.config, '') as config, ifNull(logs.prompt, '') as prompt, status, ifNull(logs.cache, '') as cache, retries, if(logs.response_ms < 1, 0, least(224, 1 + floor(log(logs.response_ms) / log(1.1)))) as latency, count() as fallbacks
from gateway_logs.logs as logs
where is_final and fell_back
group by bucket, workspace, api_key, provider, account, model, config, prompt, status, cache, retries, latency;
