-- Changes that were made with kubectl or by GitOps.
alter table gatehouse.audit_records drop constraint audit_records_actor_type_check;
alter table gatehouse.audit_records add constraint audit_records_actor_type_check
  check (actor_type in ('api_key', 'user', 'scim', 'anonymous', 'kubernetes'));
