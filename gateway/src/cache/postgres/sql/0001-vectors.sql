-- Vectors of prompts, by what must be the same of their requests (a digest). Times are Unix times in ms.
create extension if not exists vector;

create table gateway_cache.vectors (
  partition text not null,
  key text not null,
  embedding vector not null,
  expires_at bigint not null,
  primary key (partition, key)
);

create index vectors_expiry on gateway_cache.vectors (expires_at);
