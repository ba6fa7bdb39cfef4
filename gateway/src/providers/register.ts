import { azureAi } from './azure-ai/manifest.ts';
import { azureOpenai } from './azure-openai/manifest.ts';
import type { Provider } from './contract.ts';
import { openai } from './openai/manifest.ts';
import { TABLE } from './table/index.ts';

/** Every provider by its id. */
export const PROVIDERS: ReadonlyMap<string, Provider> = new Map(
  [openai, azureOpenai, azureAi, ...TABLE].map((provider) => [provider.id, provider]),
);
