import type { Family } from '../model.ts';
import { anthropic } from './anthropic.ts';
import type { ChatFamily } from './family.ts';
import { gemini } from './gemini.ts';
import { mistral } from './mistral.ts';
import { endpoints, meta } from './openai.ts';

export type { ChatFamily };

/** How the models of each family are called. */
export const FAMILIES: Readonly<Record<Family, ChatFamily>> = {
  google: gemini,
  anthropic,
  meta,
  mistralai: mistral,
  endpoints,
};
