/** A chat request as a `generateContent` body. */
import type { JsonObject } from '../contract.ts';
import { withoutAbsent } from '../json/json.ts';
import { toGeminiTurns } from './contents.ts';
import { toGenerationConfig } from './generation.ts';
import type { InlineMedia } from './media.ts';
import { toGeminiTools } from './tools.ts';

export interface GeminiRequestOptions {
  /** Name of the model without publisher or family: some rules depend on the generation. */
  readonly model: string;
  /** The member that carries the safety settings. */
  readonly safetyMember: 'safetySettings' | 'safety_settings';
  /** Whether billing labels are accepted. */
  readonly labels: boolean;
  /** Media downloaded for the request, because the upstream does not fetch it. */
  readonly media?: InlineMedia;
}

/** The body of `generateContent` and `streamGenerateContent`; parameters without a counterpart are left out. */
export function toGeminiBody(params: JsonObject, options: GeminiRequestOptions): JsonObject {
  const { model, safetyMember, labels, media = new Map() } = options;
  return withoutAbsent({
    ...toGeminiTurns(params, model, media),
    generationConfig: toGenerationConfig(params, model),
    ...toGeminiTools(params),
    cachedContent: params['cached_content'],
    [safetyMember]: params['safety_settings'] ?? params['safetySettings'],
    labels: labels ? params['labels'] : undefined,
  });
}
