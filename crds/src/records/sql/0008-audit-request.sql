-- What a call of the management API has sent, without secrets, as JSON texts; null: not kept, or a write that no call has made.
alter table gatehouse.audit_records add column request_body text;
alter table gatehouse.audit_records add column query_params text;
alter table gatehouse.audit_records add column request_headers text;
-- Of the connection to the gateway, as an IP address.
alter table gatehouse.audit_records add column client_ip text;
