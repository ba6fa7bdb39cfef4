import { isObject } from '@gatehouse/crds';
import { type Prompt, type PromptOptions, type ToolChoice, type Turn, toPrompt } from '../answer/index.ts';
import { type JsonObject, readCount, readObject, readObjects, readString, readStrings } from '../json.ts';

export function readPrompt(body: JsonObject): Prompt {
  const system: Turn = { role: 'system', text: textOf(readObjects(body, 'system')) };
  return toPrompt([system, ...readObjects(body, 'messages').flatMap(toTurns)], readOptions(body));
}

/** Results of tools come last: a message with results and a remark still ends the conversation with results. */
function toTurns(message: JsonObject): readonly Turn[] {
  const blocks = readObjects(message, 'content');
  const results = blocks.map((block) => readObject(block, 'toolResult')).filter((result) => result !== undefined);
  const images = blocks.filter((block) => isObject(block['image'])).length;
  const text = textOf(blocks);
  const role = message['role'] === 'assistant' ? 'assistant' : 'user';
  const own: Turn[] = results.length > 0 && text === '' && images === 0 ? [] : [{ role, text, images }];
  const answered = results.map((result): Turn => ({ role: 'tool', text: textOf(readObjects(result, 'content')) }));
  return [...own, ...answered];
}

function textOf(blocks: readonly JsonObject[]): string {
  const texts = blocks.map((block) =>
    block['json'] === undefined ? (readString(block, 'text') ?? '') : JSON.stringify(block['json']),
  );
  return texts.join('');
}

function readOptions(body: JsonObject): PromptOptions {
  const inference = readObject(body, 'inferenceConfig') ?? {};
  const config = readObject(body, 'toolConfig') ?? {};
  const thinking = readObject(readObject(body, 'additionalModelRequestFields') ?? {}, 'thinking');
  const format = readObject(readObject(body, 'outputConfig') ?? {}, 'textFormat');
  return {
    tools: readObjects(config, 'tools').flatMap((tool) => {
      const declared = readObject(tool, 'toolSpec') ?? {};
      const name = readString(declared, 'name');
      return name === undefined ? [] : [{ name, schema: readObject(declared, 'inputSchema')?.['json'] }];
    }),
    toolChoice: readToolChoice(readObject(config, 'toolChoice') ?? {}),
    ...(format === undefined ? {} : { json: { schema: readSchema(format) } }),
    maxTokens: readCount(inference, 'maxTokens'),
    stop: readStrings(inference, 'stopSequences'),
    thinks: thinking?.['type'] === 'enabled' || thinking?.['type'] === 'adaptive',
  };
}

function readToolChoice(choice: JsonObject): ToolChoice {
  const named = readObject(choice, 'tool');
  if (named !== undefined) return { name: readString(named, 'name') ?? '' };
  return isObject(choice['any']) ? 'required' : 'auto';
}

/** The schema stands in the request as text. */
function readSchema(format: JsonObject): unknown {
  const text = readString(readObject(readObject(format, 'structure') ?? {}, 'jsonSchema') ?? {}, 'schema');
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
