-- Files and batches that gateways keep themselves. Times are Unix times in ms.
create table gateway_batches.files (
  id text primary key,
  workspace text not null,
  filename text not null,
  purpose text not null,
  bytes bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  status text not null
);

create index files_list on gateway_batches.files (workspace, created_at, id);

create index files_expiry on gateway_batches.files (expires_at);

-- terms and progress are JSON: terms do not change. The lease with the highest number counts.
create table gateway_batches.batches (
  id text primary key,
  workspace text not null,
  created_at bigint not null,
  ended_at bigint,
  terms text not null,
  progress text not null,
  cancelling_at bigint,
  lease_number bigint not null default 0,
  lease_until bigint not null default 0
);

create index batches_list on gateway_batches.batches (workspace, created_at, id);

create index batches_open on gateway_batches.batches (created_at, id) where ended_at is null;

create index batches_ended on gateway_batches.batches (ended_at) where ended_at is not null;

create table gateway_batches.answers (
  batch_id text not null references gateway_batches.batches (id) on delete cascade,
  row integer not null,
  succeeded boolean not null,
  line text not null,
  primary key (batch_id, row)
);
