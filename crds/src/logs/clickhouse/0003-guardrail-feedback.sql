-- Feedback that guardrails give, as the table of PostgreSQL has it; what people say stays there. It goes with the days of the rows.
create table if not exists gateway_logs.feedback (
  id UUID,
  workspace LowCardinality(String),
  trace_id String,
  value Int8,
  weight Float64,
  metadata Map(LowCardinality(String), String) CODEC(ZSTD(3)),
  api_key LowCardinality(Nullable(String)),
  key_user LowCardinality(Nullable(String)),
  guardrail LowCardinality(String),
  created_at DateTime64(3, 'UTC'),
  updated_at DateTime64(3, 'UTC')
) engine = ReplacingMergeTree(updated_at) partition by toYYYYMMDD(created_at) order by (workspace, created_at, id) settings non_replicated_deduplication_window = 10000;
