/** Selects the Bedrock host of a call. */
import { awsBaseUrl } from '../clouds/aws/index.ts';
import type { Call } from '../contract.ts';
import { proxyPath } from '../engine/index.ts';
import { otherServiceOf } from './auth.ts';

const RUNTIME = 'bedrock-runtime';
const CONTROL_PLANE = 'bedrock';
const AGENT_RUNTIME = 'bedrock-agent-runtime';

/** First segments of paths that are not the runtime's. Source: the vendor's API references of the three services. */
const HOST_BY_SEGMENT: ReadonlyMap<string, string> = new Map([
  ...[
    'async-invoke-model',
    'automated-reasoning-policies',
    'custom-models',
    'evaluation-job',
    'evaluation-jobs',
    'foundation-model-availability',
    'foundation-models',
    'guardrails',
    'imported-models',
    'inference-profiles',
    'logging',
    'marketplace-model',
    'model-copy-jobs',
    'model-customization-jobs',
    'model-import-jobs',
    'model-invocation-job',
    'model-invocation-jobs',
    'prompt-routers',
    'provisioned-model-throughput',
    'provisioned-model-throughputs',
  ].map((segment) => [segment, CONTROL_PLANE] as const),
  ...[
    'agents',
    'flows',
    'generateQuery',
    'knowledgebases',
    'optimize-prompt',
    'rerank',
    'retrieveAndGenerate',
    'retrieveAndGenerateStream',
    'sessions',
  ].map((segment) => [segment, AGENT_RUNTIME] as const),
]);

const OF_JOBS = [
  ...(['createBatch', 'listBatches', 'getBatch', 'getBatchOutput', 'cancelBatch'] as const),
  ...(['createFinetune', 'listFinetunes', 'getFinetune', 'cancelFinetune'] as const),
];

/** Of endpoints that another service than the runtime has. */
const HOST_BY_ENDPOINT: Partial<Readonly<Record<Call['endpoint'], string>>> = {
  ...Object.fromEntries(OF_JOBS.map((endpoint) => [endpoint, CONTROL_PLANE])),
  listModels: CONTROL_PLANE,
  rerank: AGENT_RUNTIME,
};

export function baseUrl(call: Call): string {
  return awsBaseUrl(HOST_BY_ENDPOINT[call.endpoint] ?? RUNTIME, call);
}

/** A proxied call goes to the host that serves its path, or to the service that the target names. Throws AppError `PARAMETER_INVALID`. */
export function proxyBaseUrl(call: Call): string {
  const other = otherServiceOf(call);
  if (other !== undefined) return awsBaseUrl(other, call);
  const segment = proxyPath(call).split(/[/?]/, 2)[1] ?? '';
  return awsBaseUrl(HOST_BY_SEGMENT.get(segment) ?? RUNTIME, call);
}

/** The URL of side calls. A custom host replaces all of the service's hosts. */
export function controlPlaneUrl(call: Call): string {
  return customHost(call) ?? awsBaseUrl(CONTROL_PLANE, call);
}

export function runtimeUrl(call: Call): string {
  return customHost(call) ?? awsBaseUrl(RUNTIME, call);
}

export const customHost = (call: Call): string | undefined => call.fields.text('custom_host')?.replace(/\/+$/, '');
