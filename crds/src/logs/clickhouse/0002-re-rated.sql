-- What rows cost at later prices, by row: the newest version counts. rows and roll-ups stay as they were written, and readers add the difference to both.
create table if not exists gateway_logs.re_rated (
  id UUID,
  created_at DateTime64(3, 'UTC'),
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
  end_user Nullable(String),
  first_cost_nano Int64,
  cost_nano Int64,
  is_unpriced Bool,
  decision String CODEC(ZSTD(3)),
  version UInt64
) engine = ReplacingMergeTree(version) partition by toYYYYMMDD(created_at) order by (workspace, created_at, id);
