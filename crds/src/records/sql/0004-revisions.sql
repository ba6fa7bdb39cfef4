-- Contents that an object has had, each once; the one with the highest ordinal was current last.
create table gatehouse.revisions (
  object_uid uuid not null,
  digest text not null,
  ordinal integer not null,
  kind text not null,
  content jsonb not null,
  made_at timestamptz not null,
  primary key (object_uid, digest)
);

create index revisions_order on gatehouse.revisions (object_uid, ordinal);
