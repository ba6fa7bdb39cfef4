-- One row per attempted target of a request, the documents with their bodies, and what analytics sum up.
create table gateway_logs.logs (
  id uuid not null,
  created_at timestamptz not null,
  workspace text not null,
  trace_id text not null,
  request_id text not null,
  span_id text,
  parent_span_id text,
  span_name text,
  api_key text,
  api_key_name text,
  key_user text,
  end_user text,
  environment text,
  source text not null,
  operation text not null,
  method text not null,
  url text not null,
  attempt smallint not null,
  is_final boolean not null,
  status smallint not null,
  error text,
  provider text,
  account text,
  model text,
  answered_model text,
  config text,
  config_version text,
  mode text,
  target text,
  target_index smallint,
  prompt text,
  prompt_version text,
  is_stream boolean not null,
  cache text,
  retries smallint not null,
  response_ms double precision not null,
  upstream_ms double precision not null,
  last_byte_ms double precision not null,
  gateway_ms double precision not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  total_tokens bigint not null,
  cached_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_nano bigint,
  is_estimated boolean not null,
  is_unpriced boolean not null,
  is_denied boolean not null,
  metadata jsonb not null,
  decision jsonb not null,
  snapshot bigint not null,
  gateway_version text not null,
  document text not null,
  primary key (created_at, id)
) partition by range (created_at);

create index logs_workspace on gateway_logs.logs (workspace, created_at desc, id);

create index logs_id on gateway_logs.logs (id);

create index logs_trace on gateway_logs.logs (trace_id);

create table gateway_logs.documents (
  id uuid not null,
  created_at timestamptz not null,
  workspace text not null,
  content text not null,
  primary key (created_at, id)
) partition by range (created_at);

create table gateway_logs.log_minutes (
  bucket timestamptz not null,
  workspace text not null,
  api_key text not null,
  provider text not null,
  account text not null,
  model text not null,
  config text not null,
  prompt text not null,
  status smallint not null,
  cache text not null,
  retries smallint not null,
  is_fallback boolean not null,
  latency smallint not null,
  requests bigint not null,
  attempts bigint not null,
  response_ms double precision not null,
  cost_nano bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  total_tokens bigint not null,
  primary key (bucket, workspace, api_key, provider, account, model, config, prompt, status, cache, retries, is_fallback, latency)
) partition by range (bucket);

create table gateway_logs.log_hours (
  bucket timestamptz not null,
  workspace text not null,
  api_key text not null,
  provider text not null,
  account text not null,
  model text not null,
  config text not null,
  prompt text not null,
  status smallint not null,
  cache text not null,
  retries smallint not null,
  is_fallback boolean not null,
  latency smallint not null,
  requests bigint not null,
  attempts bigint not null,
  response_ms double precision not null,
  cost_nano bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  total_tokens bigint not null,
  primary key (bucket, workspace, api_key, provider, account, model, config, prompt, status, cache, retries, is_fallback, latency)
) partition by range (bucket);

create table gateway_logs.user_hours (
  bucket timestamptz not null,
  workspace text not null,
  api_key text not null,
  end_user text not null,
  requests bigint not null,
  cost_nano bigint not null,
  primary key (bucket, workspace, api_key, end_user)
) partition by range (bucket);

create table gateway_logs.feedback (
  id uuid primary key,
  workspace text not null,
  trace_id text not null,
  value smallint not null check (value between -10 and 10),
  weight double precision not null check (weight between 0 and 1),
  metadata jsonb not null,
  api_key text,
  key_user text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index feedback_trace on gateway_logs.feedback (workspace, trace_id);

create index feedback_created on gateway_logs.feedback (workspace, created_at);

create table gateway_logs.exports (
  id uuid primary key,
  workspace text not null,
  description text not null,
  filters jsonb not null,
  fields jsonb not null,
  status text not null check (status in ('draft', 'in_progress', 'success', 'failed', 'stopped')),
  problem text,
  api_key text,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  started_at timestamptz,
  total_records bigint not null,
  progress jsonb,
  lease_number bigint not null default 0,
  lease_until timestamptz
);

create index exports_list on gateway_logs.exports (workspace, created_at, id);
