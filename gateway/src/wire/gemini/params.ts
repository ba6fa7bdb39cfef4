/** The parameters that bodies of Gemini say. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { areFunctions, type Takes, taking } from '../params/params.ts';
import { turnsThinkingOff } from './generation.ts';

const CHAT = [
  ...['model', 'messages', 'temperature', 'top_p', 'top_k', 'max_tokens', 'max_completion_tokens', 'stop', 'seed'],
  ...['logprobs', 'top_logprobs', 'n', 'presence_penalty', 'frequency_penalty', 'response_format', 'thinking'],
  ...['modalities', 'image_config', 'media_resolution', 'tool_choice', 'cached_content'],
  ...['safety_settings', 'safetySettings', 'speech_config', 'audio_timestamp', 'thinking_config'],
  ...['google_tools', 'retrieval_config'],
];

/** Of a chat request for a model. `labels`: whether billing labels are accepted. */
export function takesGeminiChat(model: string, labels: boolean): Takes {
  return (name, value) => {
    if (name === 'labels') return labels;
    if (name === 'reasoning_effort') return value !== 'none' || turnsThinkingOff(model);
    return takesInChat(name, value);
  };
}

const takesInChat = taking(CHAT, { tools: areFunctions });

const EMBED = ['model', 'input', 'dimensions', 'task_type', 'title', 'encoding_format'];

/** Of an embeddings call of the Gemini API. */
export const takesEmbedContent = taking(EMBED);

/** Of an embeddings call of Vertex AI: inputs that mix texts and media have neither task nor title. */
export const takesPredict = ({ input }: JsonObject): Takes =>
  (Array.isArray(input) ? input : [input]).some(isObject) ? takesMedia : takesTexts;

const takesTexts = taking([...EMBED, 'parameters', 'auto_truncate']);
const takesMedia = taking(['model', 'input', 'dimensions', 'encoding_format', 'parameters', 'auto_truncate']);
