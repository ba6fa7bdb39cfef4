import { isObject } from '@gatehouse/crds';
import { type Prompt, type PromptOptions, type ToolChoice, type Turn, toPrompt } from '../answer/index.ts';
import { type JsonObject, readCount, readList, readObject, readObjects, readString, readStrings } from '../json.ts';

const MAX_CANDIDATES = 8; // bound of `candidateCount` in the API

export interface GeminiRequest {
  readonly prompt: Prompt;
  readonly candidates: number;
}

/** Members may be spelled in camelCase or snake_case, as in every JSON form of a protocol buffer. */
export function readGeminiRequest(given: JsonObject): GeminiRequest {
  const body = toCamel(given);
  const config = toCamel(readObject(body, 'generationConfig') ?? {});
  const instruction = readObject(body, 'systemInstruction') ?? {};
  const system: Turn = { role: 'system', text: textOf(readObjects(instruction, 'parts')) };
  const prompt = toPrompt([system, ...readObjects(body, 'contents').flatMap(toTurns)], readOptions(body, config));
  return { prompt, candidates: Math.min(Math.max(1, readCount(config, 'candidateCount') ?? 1), MAX_CANDIDATES) };
}

export function hasContents(body: JsonObject): boolean {
  return (readList(body, 'contents') ?? []).length > 0;
}

/** The parts of a content whose texts are one input of an embedding. */
export function readContentText(content: unknown): string {
  return isObject(content) ? textOf(readObjects(content, 'parts')) : '';
}

export function toCamel(object: JsonObject): JsonObject {
  const toName = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [toName(key), value]));
}

function textOf(parts: readonly JsonObject[]): string {
  return parts.map((part) => readString(part, 'text') ?? '').join('');
}

function toTurns(content: JsonObject): readonly Turn[] {
  const parts = readObjects(content, 'parts').map(toCamel);
  const results = parts.map((part) => part['functionResponse']).filter(isObject);
  const images = parts.filter((part) => 'inlineData' in part || 'fileData' in part).length;
  const text = textOf(parts);
  const role = content['role'] === 'model' ? 'assistant' : 'user';
  const own: Turn[] = results.length > 0 && text === '' && images === 0 ? [] : [{ role, text, images }];
  const answered = results.map((result): Turn => ({ role: 'tool', text: JSON.stringify(result['response'] ?? {}) }));
  return [...own, ...answered];
}

function readOptions(body: JsonObject, config: JsonObject): PromptOptions {
  const schema = config['responseJsonSchema'] ?? config['responseSchema'];
  const wantsJson = config['responseMimeType'] === 'application/json' || schema !== undefined;
  const thinking = toCamel(readObject(config, 'thinkingConfig') ?? {});
  return {
    ...readTools(body),
    ...(wantsJson ? { json: { schema } } : {}),
    maxTokens: readCount(config, 'maxOutputTokens'),
    stop: readStrings(config, 'stopSequences'),
    thinks: thinking['includeThoughts'] === true,
  };
}

function readTools(body: JsonObject): Pick<PromptOptions, 'tools' | 'toolChoice'> {
  const toolConfig = toCamel(readObject(body, 'toolConfig') ?? {});
  const calling = toCamel(readObject(toolConfig, 'functionCallingConfig') ?? {});
  const allowed = readStrings(calling, 'allowedFunctionNames');
  const tools = readObjects(body, 'tools')
    .flatMap((tool) => readObjects(toCamel(tool), 'functionDeclarations'))
    .map(toCamel)
    .flatMap((declared) => {
      const name = readString(declared, 'name');
      const schema = declared['parametersJsonSchema'] ?? declared['parameters'];
      const isAllowed = allowed.length === 0 || allowed.includes(name ?? '');
      return name === undefined || !isAllowed ? [] : [{ name, schema }];
    });
  return { tools, toolChoice: CHOICES.get(readString(calling, 'mode') ?? '') ?? 'auto' };
}

const CHOICES: ReadonlyMap<string, ToolChoice> = new Map<string, ToolChoice>([
  ['NONE', 'none'],
  ['ANY', 'required'],
  ['VALIDATED', 'required'],
]);
