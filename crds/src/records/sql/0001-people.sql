-- Accounts of people, and invitations to have one.
create table gatehouse.users (
  id uuid primary key,
  email text not null unique check (email = lower(email)),
  first_name text not null default '',
  last_name text not null default '',
  role text not null check (role in ('owner', 'admin', 'member')),
  active boolean not null default true,
  external_id text,
  issuer text,
  subject text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index users_subject on gatehouse.users (issuer, subject) where subject is not null;

create index users_created on gatehouse.users (created_at, id);

create table gatehouse.invites (
  id uuid primary key,
  email text not null check (email = lower(email)),
  role text not null check (role in ('admin', 'member')),
  workspaces jsonb not null,
  key_scopes jsonb,
  token_sha256 text not null unique,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  cancelled_at timestamptz
);

create unique index invites_open on gatehouse.invites (email) where accepted_at is null and cancelled_at is null;

create index invites_created on gatehouse.invites (created_at, id);
