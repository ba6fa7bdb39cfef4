/** Members of a request that nobody reads: they are named. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { GOOGLE_TOOLS } from '../../../wire/gemini/index.ts';
import { DroppedNames } from '../dropped-names.ts';
import { memberOf, objectOf, toCamel } from './members.ts';
import { declarationsOf } from './request.ts';

type IsRead = (name: string) => boolean;

const reading = (...names: readonly string[]): IsRead => {
  const known = new Set(names);
  return (name) => known.has(toCamel(name));
};

const IN_REQUEST = reading(
  ...['model', 'contents', 'systemInstruction', 'generationConfig', 'tools', 'toolConfig', 'safetySettings'],
  ...['cachedContent', 'labels'],
);
const IN_CONFIG = reading(
  ...['temperature', 'topP', 'topK', 'maxOutputTokens', 'stopSequences', 'seed', 'presencePenalty', 'frequencyPenalty'],
  ...['responseLogprobs', 'logprobs', 'mediaResolution', 'responseModalities', 'imageConfig', 'responseMimeType'],
  ...['responseSchema', 'responseJsonSchema', 'thinkingConfig', 'candidateCount', 'speechConfig', 'audioTimestamp'],
);
const IN_THINKING = reading('thinkingLevel', 'thinkingBudget', 'includeThoughts');
const IN_IMAGES = reading('aspectRatio', 'imageSize');
const IN_TOOL_CONFIG = reading('functionCallingConfig', 'retrievalConfig');
const IN_CALLING = reading('mode', 'allowedFunctionNames');
const IN_TOOL: IsRead = (name) => toCamel(name) === 'functionDeclarations' || GOOGLE_TOOLS.has(toCamel(name));
const IN_FUNCTION = reading('name', 'description', 'parameters', 'parametersJsonSchema');
const IN_PART = reading(
  ...['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall', 'functionResponse'],
  ...['executableCode', 'codeExecutionResult', 'mediaResolution', 'videoMetadata'],
);
const IN_RESULT = reading('id', 'name', 'response');

/** By where they stand; those in lists once. */
export function unreadOf(given: JsonObject): readonly string[] {
  const dropped = new DroppedNames();
  const config = objectOf(given, 'generationConfig');
  const count = memberOf(config, 'candidateCount');
  if (count !== undefined && count !== 1) dropped.add('candidateCount', 'generationConfig.'); // there is one answer
  dropped.addOthers(given, IN_REQUEST);
  dropped.addOthers(config, IN_CONFIG, 'generationConfig.');
  dropped.addOthers(objectOf(config, 'thinkingConfig'), IN_THINKING, 'generationConfig.thinkingConfig.');
  dropped.addOthers(objectOf(config, 'imageConfig'), IN_IMAGES, 'generationConfig.imageConfig.');
  addOfTools(given, dropped);
  for (const content of objectsOf(memberOf(given, 'contents'))) {
    for (const part of objectsOf(content['parts'])) {
      dropped.addOthers(part, IN_PART, 'contents.parts.');
      dropped.addOthers(objectOf(part, 'functionResponse'), IN_RESULT, 'contents.parts.functionResponse.');
    }
  }
  return dropped.names;
}

function addOfTools(given: JsonObject, dropped: DroppedNames): void {
  const config = objectOf(given, 'toolConfig');
  const calling = objectOf(config, 'functionCallingConfig');
  const allowed = memberOf(calling, 'allowedFunctionNames');
  dropped.addOthers(config, IN_TOOL_CONFIG, 'toolConfig.');
  dropped.addOthers(calling, IN_CALLING, 'toolConfig.functionCallingConfig.');
  if (Array.isArray(allowed) && (allowed.length > 1 || (allowed.length > 0 && calling?.['mode'] !== 'ANY')))
    dropped.add('allowedFunctionNames', 'toolConfig.functionCallingConfig.');
  for (const tool of objectsOf(memberOf(given, 'tools'))) {
    dropped.addOthers(tool, IN_TOOL, 'tools.');
    for (const declared of declarationsOf(tool))
      dropped.addOthers(declared, IN_FUNCTION, 'tools.functionDeclarations.');
  }
}

const objectsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
