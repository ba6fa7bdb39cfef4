-- Feedback that guardrails give goes with the days of the request log; what people say stays.
alter table gateway_logs.feedback add column guardrail text;

create index feedback_of_guardrails on gateway_logs.feedback (created_at) where guardrail is not null;
