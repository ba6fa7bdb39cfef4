-- Who changed what over the management API; rows are only ever added.
create table gatehouse.audit_records (
  id uuid primary key,
  at timestamptz not null,
  request_id text not null,
  operation text not null,
  method text not null,
  path text not null,
  actor_type text not null check (actor_type in ('api_key', 'user', 'scim', 'anonymous')),
  actor_id text,
  actor_user text,
  workspace text,
  status integer not null,
  error_code text,
  changes jsonb not null
);

create index audit_records_at on gatehouse.audit_records (at, id);
