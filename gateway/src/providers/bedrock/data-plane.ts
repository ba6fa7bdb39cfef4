/**
 * What proxied calls reach of Bedrock. Source: the vendor's API references of the runtime and the agent runtime. Calls whose
 * body names a role, a bucket or a key (batch jobs, asynchronous invocations) are left out: these are the owner's to choose.
 */
export const DATA_PLANE: readonly string[] = [
  'POST /model/<any>/invoke',
  'POST /model/<any>/invoke-with-response-stream',
  'POST /model/<any>/converse',
  'POST /model/<any>/converse-stream',
  'POST /model/<any>/count-tokens',
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
