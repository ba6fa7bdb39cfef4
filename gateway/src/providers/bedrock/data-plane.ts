import type { ModelPlace } from '../contract.ts';

const OF_MODELS = ['invoke', 'invoke-with-response-stream', 'converse', 'converse-stream', 'count-tokens'];

/**
 * The data plane of Bedrock. Source: the vendor's API references of the runtime and the agent runtime. Calls whose
 * body names a role, a bucket or a key (batch jobs, asynchronous invocations) are left out: these are the owner's to choose.
 */
export const DATA_PLANE: readonly string[] = [
  ...OF_MODELS.map((method) => `POST /model/<any>/${method}`),
  'POST /guardrail/<any>/version/*/apply',
  'GET /foundation-models',
  'GET /foundation-models/<any>',
  'GET /inference-profiles',
  'GET /inference-profiles/<any>',
  'GET /model-invocation-jobs',
  'GET /model-invocation-job/<any>',
  'POST /rerank',
  'POST /generateQuery',
  'POST /optimize-prompt',
  'POST /retrieveAndGenerate',
  'POST /retrieveAndGenerateStream',
  'POST /knowledgebases/*/retrieve',
  'POST /agents/*/agentAliases/*/sessions/*/text',
  'POST /flows/<any>/aliases/<any>',
];

/** The agent runtime is in no row: it names models deep in its bodies, or its resources choose them. */
export const MODEL_PLACES: readonly ModelPlace[] = [
  { model: 'path', calls: OF_MODELS.map((method) => `POST /model/<model>/${method}`) },
  { model: 'none', calls: ['POST /guardrail/<any>/version/*/apply'] },
];
