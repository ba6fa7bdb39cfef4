import { ai21 } from './ai21/manifest.ts';
import { anthropic } from './anthropic/manifest.ts';
import { azureAi } from './azure-ai/manifest.ts';
import { azureOpenai } from './azure-openai/manifest.ts';
import { bedrock } from './bedrock/manifest.ts';
import { bytez } from './bytez/manifest.ts';
import { cohere } from './cohere/manifest.ts';
import type { Provider } from './contract.ts';
import { google } from './google/manifest.ts';
import { openai } from './openai/manifest.ts';
import { oracle } from './oracle/manifest.ts';
import { palm } from './palm/manifest.ts';
import { rekaAi } from './reka-ai/manifest.ts';
import { stabilityAi } from './stability-ai/manifest.ts';
import { TABLE } from './table/index.ts';
import { triton } from './triton/manifest.ts';
import { vertexAi } from './vertex-ai/manifest.ts';
import { workersAi } from './workers-ai/manifest.ts';

const OWN_FOLDERS: readonly Provider[] = [
  ...[openai, azureOpenai, azureAi, anthropic, bedrock, vertexAi, google, cohere],
  ...[workersAi, ai21, palm, rekaAi, triton, bytez, stabilityAi, oracle],
];

/** Every provider by its id. */
export const PROVIDERS: ReadonlyMap<string, Provider> = new Map(
  [...OWN_FOLDERS, ...TABLE].map((provider) => [provider.id, provider]),
);

/** The data plane of each provider: paths of proxied calls with a stored credential. */
export const DATA_PLANES: ReadonlyMap<string, readonly string[]> = new Map(
  [...PROVIDERS].map(([id, { proxy }]) => [id, proxy.dataPlane]),
);
