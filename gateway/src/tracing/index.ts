/** Spans of requests, attempts and guardrails, made from records and exported by OTLP; docs/behaviour/tracing.md. */
export type { ContentOptions } from './content/index.ts';
export { createSampler, type SamplerOptions } from './sampler.ts';
export type { OperationNames } from './spans.ts';
export { openTracing, type Tracing, type TracingOptions } from './tracing.ts';
