-- Batches at providers that were followed to their end, which are not followed again. Times are Unix times in ms.
create table gateway_batches.followed_ended (
  id text primary key,
  workspace text not null,
  ended_at bigint not null
);

create index followed_ended_workspace on gateway_batches.followed_ended (workspace, ended_at, id);

create index followed_ended_age on gateway_batches.followed_ended (ended_at);
