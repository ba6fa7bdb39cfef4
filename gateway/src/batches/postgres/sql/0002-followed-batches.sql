-- Batches at providers whose rows are counted when they have run. terms is JSON and does not change. The lease with the highest number counts.
create table gateway_batches.followed (
  id text primary key,
  workspace text not null,
  terms text not null,
  lease_number bigint not null default 0,
  lease_until bigint not null
);

create index followed_due on gateway_batches.followed (lease_until, id);

create index followed_workspace on gateway_batches.followed (workspace);

-- Which rows of an output were counted, and for which read. Times are Unix times in ms.
create table gateway_batches.counted_rows (
  output text not null,
  from_row integer not null,
  until_row integer not null,
  owner text not null,
  counted_at bigint not null,
  primary key (output, from_row)
);

create index counted_rows_age on gateway_batches.counted_rows (counted_at);
