-- Whether a write took over what another tool owns.
alter table gatehouse.audit_records add column forced boolean not null default false;
