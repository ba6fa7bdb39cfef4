-- Feedback is changed by its id, which is last in the order of the table. parts that are there get the index when they are merged.
alter table gateway_logs.feedback add index if not exists feedback_id id type bloom_filter(0.01) granularity 1;
