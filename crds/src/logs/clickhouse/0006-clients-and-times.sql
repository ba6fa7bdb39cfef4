-- As in PostgreSQL.
alter table gateway_logs.logs add column if not exists runtime LowCardinality(Nullable(String));

alter table gateway_logs.logs add column if not exists runtime_version LowCardinality(Nullable(String));

alter table gateway_logs.logs add column if not exists sdk_version LowCardinality(Nullable(String));

alter table gateway_logs.logs add column if not exists request_parsing_ms Nullable(Float64);

alter table gateway_logs.logs add column if not exists pre_processing_ms Nullable(Float64);

alter table gateway_logs.logs add column if not exists cache_ms Nullable(Float64);

alter table gateway_logs.logs add column if not exists response_parsing_ms Nullable(Float64);
