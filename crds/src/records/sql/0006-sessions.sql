-- People who are signed in; the id in their cookie is known by its hash only.
create table gatehouse.sessions (
  id_sha256 text primary key check (length(id_sha256) = 64),
  user_id uuid not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  expires_at timestamptz not null
);

create index sessions_user on gatehouse.sessions (user_id, created_at);

create index sessions_expires on gatehouse.sessions (expires_at);
