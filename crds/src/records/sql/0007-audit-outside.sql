-- Whether it is of a write with kubectl, Helm or GitOps; its actor_type is then anonymous, its actor_id the field manager.
alter table gatehouse.audit_records add column outside boolean not null default false;
