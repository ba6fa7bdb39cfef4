-- What exports have found so far, in parts that are written once: a process that goes on with one writes none of them again.
alter table gateway_logs.exports add column max_records bigint not null;

alter table gateway_logs.exports add column bytes bigint not null default 0;

alter table gateway_logs.exports add column parts integer not null default 0;

alter table gateway_logs.exports add column link_key text not null;

create index exports_open on gateway_logs.exports (lease_until) where status = 'in_progress';

create index exports_old on gateway_logs.exports (updated_at);

create table gateway_logs.export_parts (
  export_id uuid not null references gateway_logs.exports (id) on delete cascade,
  part integer not null,
  content bytea not null,
  primary key (export_id, part)
);
