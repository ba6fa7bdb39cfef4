-- Whether another target of the request had failed, or was left out, before the one of the row. Earlier rows do not tell.
alter table gateway_logs.logs add column fell_back boolean not null default false;

alter table gateway_logs.log_minutes add column fallbacks bigint not null default 0;

alter table gateway_logs.log_hours add column fallbacks bigint not null default 0;
