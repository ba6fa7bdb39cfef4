import type { Family } from '../model.ts';
import { anthropicFamily } from './anthropic.ts';
import type { ChatFamily } from './family.ts';
import { geminiFamily } from './gemini.ts';
import { mistralFamily } from './mistral.ts';
import { endpointFamily, metaFamily } from './openai.ts';

export type { ChatFamily };

/** How the models of each family are called. */
export const FAMILIES: Readonly<Record<Family, ChatFamily>> = {
  google: geminiFamily,
  anthropic: anthropicFamily,
  meta: metaFamily,
  mistralai: mistralFamily,
  endpoints: endpointFamily,
};
