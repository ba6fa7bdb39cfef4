-- What clients run on, and how long parts of a request took. Earlier rows do not tell.
alter table gateway_logs.logs add column runtime text;

alter table gateway_logs.logs add column runtime_version text;

alter table gateway_logs.logs add column sdk_version text;

alter table gateway_logs.logs add column request_parsing_ms double precision;

alter table gateway_logs.logs add column pre_processing_ms double precision;

alter table gateway_logs.logs add column cache_ms double precision;

alter table gateway_logs.logs add column response_parsing_ms double precision;
