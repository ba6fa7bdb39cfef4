import { isObject } from '@gatehouse/crds';
import { type Prompt, type PromptOptions, type ToolChoice, type Turn, toPrompt } from '../answer/index.ts';
import { type JsonObject, readCount, readList, readObject, readObjects, readString, readStrings } from '../json.ts';

const ROLES: ReadonlyMap<unknown, Turn['role']> = new Map<unknown, Turn['role']>([
  ['system', 'system'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
]);
const TOOL_CHOICES: ReadonlyMap<unknown, ToolChoice> = new Map<unknown, ToolChoice>([
  ['REQUIRED', 'required'],
  ['NONE', 'none'],
]);

/** What an answer can cite. */
export type Source =
  | { readonly type: 'document'; readonly id: string; readonly document: JsonObject }
  | { readonly type: 'tool'; readonly id: string; readonly tool_output: JsonObject };

export function readPrompt(body: JsonObject): Prompt {
  const documents = readDocuments(body).map(({ text }): Turn => ({ role: 'system', text }));
  const turns = readObjects(body, 'messages').map((message): Turn => {
    const role = ROLES.get(message['role']) ?? 'user';
    const parts = readParts(message['content']);
    const text = parts.map(textOf).join('');
    return { role, text, images: parts.filter(({ type }) => type === 'image_url').length };
  });
  return toPrompt([...documents, ...turns], readOptions(body));
}

/** The results of tools with which the conversation ends, else the documents of the request. */
export function readSources(body: JsonObject): readonly Source[] {
  const messages = readObjects(body, 'messages');
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1);
  return results.length > 0 ? results.flatMap(toToolSources) : readDocuments(body).map(({ source }) => source);
}

function toToolSources(message: JsonObject): readonly Source[] {
  const call = readString(message, 'tool_call_id') ?? '';
  return readParts(message['content']).map((part, index) => {
    const document = readObject(part, 'document');
    const id = (document && readString(document, 'id')) ?? `${call}:${index}`;
    const data = document?.['data'];
    return { type: 'tool', id, tool_output: isObject(data) ? data : { content: textOf(part) } };
  });
}

function readDocuments(body: JsonObject): readonly { readonly text: string; readonly source: Source }[] {
  return (readList(body, 'documents') ?? []).map((given, index) => {
    const named = isObject(given) ? readString(given, 'id') : undefined;
    const id = named ?? `doc:${index}`;
    const data = isObject(given) ? (readObject(given, 'data') ?? {}) : { text: String(given) };
    const text = isObject(given) ? JSON.stringify(data) : String(given);
    return { text, source: { type: 'document', id, document: { id, ...data } } };
  });
}

type Part = JsonObject;

function readParts(content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (Array.isArray(content) ? content : []).filter(isObject);
}

/** The data of a document as JSON, as far as it is no text. */
function textOf(part: Part): string {
  const document = readObject(part, 'document');
  if (document === undefined) return readString(part, 'text') ?? '';
  const { data } = document;
  return typeof data === 'string' ? data : JSON.stringify(data ?? {});
}

function readOptions(body: JsonObject): PromptOptions {
  const format = readObject(body, 'response_format');
  return {
    tools: readObjects(body, 'tools').flatMap((tool) => {
      const declared = readObject(tool, 'function') ?? {};
      const name = readString(declared, 'name');
      return name === undefined ? [] : [{ name, schema: declared['parameters'] }];
    }),
    toolChoice: TOOL_CHOICES.get(body['tool_choice']) ?? 'auto',
    ...(format?.['type'] === 'json_object' ? { json: { schema: format['json_schema'] ?? format['schema'] } } : {}),
    maxTokens: readCount(body, 'max_tokens'),
    stop: readStrings(body, 'stop_sequences'),
    thinks: readObject(body, 'thinking')?.['type'] === 'enabled',
  };
}
