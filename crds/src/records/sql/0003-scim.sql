-- What a directory provisions over SCIM: accounts, groups, who is in them, and the token that it calls with.
alter table gatehouse.users add column user_name text;
alter table gatehouse.users add column user_name_key text;
alter table gatehouse.users add column display_name text;

create unique index users_user_name_key on gatehouse.users (user_name_key) where user_name_key is not null;

create index users_external_id on gatehouse.users (external_id) where external_id is not null;

create table gatehouse.scim_groups (
  id uuid primary key,
  display_name text not null,
  name_key text not null unique,
  external_id text,
  provisioned boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index scim_groups_created on gatehouse.scim_groups (created_at, id);

create table gatehouse.scim_group_members (
  group_id uuid not null,
  user_id uuid not null,
  primary key (group_id, user_id)
);

create index scim_group_members_user on gatehouse.scim_group_members (user_id);

create table gatehouse.scim_tokens (
  name text primary key,
  sha256 text not null,
  created_at timestamptz not null,
  created_by text not null
);
