/** Where the texts of a request or an answer stand: docs/behaviour/guardrails.md#which-texts. */
import { isObject } from '@gatehouse/crds';
import type { CheckPhase } from '@gatehouse/crds/guardrails';
import type { JsonObject } from '../../wire/contract.ts';
import type { RequestType } from '../contract.ts';
import { ANSWER_QUOTES, CHOICE_QUOTES, textsOfBlock, textsOfItem, textsOfMembers, textsOfMessage } from './beside.ts';
import { placesWithin } from './json-places.ts';
import type { Path, Place } from './place.ts';

type Finder = (body: JsonObject) => readonly Place[];

const NOWHERE: readonly Place[] = [];
const NO_TEXT: Place = { text: '', path: undefined };

const FINDERS: Readonly<Partial<Record<RequestType, Readonly<Record<CheckPhase, Finder>>>>> = {
  chatComplete: { input: lastMessage, output: choiceMessage },
  messages: { input: lastMessage, output: ({ content }) => items(content, ['content']) },
  complete: { input: ({ prompt }) => texts(prompt, ['prompt']), output: choiceText },
  embed: { input: ({ input }) => texts(input, ['input']), output: () => NOWHERE },
  imageGenerate: { input: ({ prompt }) => text(prompt, ['prompt']), output: () => NOWHERE },
  createSpeech: { input: ({ input }) => text(input, ['input']), output: () => NOWHERE },
  rerank: { input: query, output: () => NOWHERE },
  createModelResponse: { input: responseInput, output: responseOutput },
};

/** The texts that a phase is about, in their order. */
export function placesOf(requestType: RequestType, phase: CheckPhase, body: JsonObject): readonly Place[] {
  return FINDERS[requestType]?.[phase](body) ?? NOWHERE;
}

/** Only the last message is looked at, whoever wrote it. */
function lastMessage({ messages }: JsonObject): readonly Place[] {
  if (!Array.isArray(messages) || messages.length === 0) return NOWHERE;
  const index = messages.length - 1;
  const message: unknown = messages[index];
  return isObject(message) ? content(message['content'], ['messages', index, 'content']) : NOWHERE;
}

/** Only the first choice is looked at. */
function choiceMessage(answer: JsonObject): readonly Place[] {
  const { choices } = answer;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(choice)) return NOWHERE;
  const { message } = choice;
  const path = ['choices', 0, 'message'];
  const quotes = [
    ...textsOfMembers(choice, CHOICE_QUOTES, ['choices', 0]),
    ...textsOfMembers(answer, ANSWER_QUOTES, []),
  ];
  if (!isObject(message)) return placesWithin(quotes);
  const said = withBlocks(content(message['content'], [...path, 'content']), message['content_blocks'], [
    ...path,
    'content_blocks',
  ]);
  const beside = [
    ...text(message['refusal'], [...path, 'refusal']),
    ...blockTexts(message['content_blocks'], [...path, 'content_blocks']),
    ...placesWithin(textsOfMessage(message, path)),
    ...placesWithin(quotes),
  ];
  return beside.length === 0 ? said : [...said, ...beside];
}

/** The text of content blocks, which is the content again, unless it differs. */
function withBlocks(said: readonly Place[], blocks: unknown, path: Path): readonly Place[] {
  if (!Array.isArray(blocks)) return said;
  const own = blocks
    .flatMap((block: unknown, i) => (isObject(block) ? text(block['text'], [...path, i, 'text']) : NOWHERE))
    .filter(({ text }) => text !== '');
  const [content, ...others] = said;
  const isSame = content !== undefined && others.length === 0 && content.text === own.map(({ text }) => text).join('');
  return isSame
    ? [{ ...content, copies: own.flatMap(({ path }) => (path === undefined ? [] : [path])) }]
    : [...said, ...own];
}

/** What content blocks of an answer say beside their text: code and tools that were run, what came of it, citations, and plans for tools. */
function blockTexts(blocks: unknown, path: Path): readonly Place[] {
  if (!Array.isArray(blocks)) return NOWHERE;
  return blocks.flatMap((block: unknown, i): readonly Place[] => {
    if (!isObject(block)) return NOWHERE;
    const { executable_code: code, code_execution_result: result } = block;
    const at = [...path, i];
    return [
      ...(block['tool_plan'] === true ? text(block['thinking'], [...at, 'thinking']) : NOWHERE),
      ...(isObject(code) ? text(code['code'], [...at, 'executable_code', 'code']) : NOWHERE),
      ...(isObject(result) ? outputOf(result, [...at, 'code_execution_result']) : NOWHERE),
      ...placesWithin(textsOfBlock(block, at)),
    ];
  });
}

function choiceText({ choices }: JsonObject): readonly Place[] {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(choice) ? text(choice['text'], ['choices', 0, 'text']) : NOWHERE;
}

const content = (value: unknown, path: Path): readonly Place[] =>
  Array.isArray(value) ? items(value, path) : text(value, path);

const text = (value: unknown, path: Path): readonly Place[] =>
  typeof value === 'string' ? [{ text: value, path }] : NOWHERE;

/** A text or an object that has one, or a list of these. */
function texts(value: unknown, path: Path): readonly Place[] {
  if (!Array.isArray(value)) return isObject(value) ? text(value['text'], [...path, 'text']) : text(value, path);
  return value.map((item: unknown, i): Place => {
    if (typeof item === 'string') return { text: item, path: [...path, i] };
    const own = isObject(item) ? item['text'] : undefined;
    return typeof own === 'string' ? { text: own, path: [...path, i, 'text'] } : NO_TEXT;
  });
}

/** A place for each item of a list; results of tools and documents, which may have several texts, have one for each of these. */
function items(value: unknown, path: Path): readonly Place[] {
  if (!Array.isArray(value)) return NOWHERE;
  return value.flatMap((item: unknown, i): readonly Place[] => {
    if (!isObject(item)) return [NO_TEXT];
    const at = [...path, i];
    switch (item['type']) {
      case 'tool_result':
        return content(item['content'], [...at, 'content']);
      case 'document':
        return textsIn(item, ['title', 'context'], at, sourceTexts(item['source'], [...at, 'source']));
      case 'search_result':
        return textsIn(item, ['title', 'source'], at, content(item['content'], [...at, 'content']));
      case 'executable_code':
      case 'code_execution_result':
        return codeTexts(item[item['type']], [...at, item['type']]);
      default:
        return textsIn(item, ['text'], at, placesWithin(textsOfBlock(item, at)));
    }
  });
}

/** Code that a provider has run, or what came of it. */
const codeTexts = (value: unknown, path: Path): readonly Place[] =>
  isObject(value) ? textsIn(value, ['code'], path, outputOf(value, path)) : [NO_TEXT];

const outputOf = (value: JsonObject, path: Path): readonly Place[] =>
  placesWithin(textsOfMembers(value, ['output'], path));

/** The named texts of an item, then others; an item without any has a place without a path. */
function textsIn(item: JsonObject, names: readonly string[], path: Path, others: readonly Place[]): readonly Place[] {
  const found = [...names.flatMap((name) => text(item[name], [...path, name])), ...others];
  return found.length === 0 ? [NO_TEXT] : found;
}

/** Of a document that is written out; files and addresses are not read. */
function sourceTexts(source: unknown, path: Path): readonly Place[] {
  if (!isObject(source)) return NOWHERE;
  if (source['type'] === 'text') return text(source['data'], [...path, 'data']);
  return source['type'] === 'content' ? content(source['content'], [...path, 'content']) : NOWHERE;
}

/** Of functions, of custom tools, of shells and of whatever else a client runs itself. */
const isToolOutput = (type: unknown): boolean => typeof type === 'string' && type.endsWith('_call_output');

/** What is asked, and the documents that may answer it. */
function query({ query: asked, documents }: JsonObject): readonly Place[] {
  const found = Array.isArray(documents) ? documents.map(documentPlace) : NOWHERE;
  return [...text(asked, ['query']), ...found];
}

function documentPlace(document: unknown, at: number): Place {
  if (typeof document === 'string') return { text: document, path: ['documents', at] };
  const own = isObject(document) ? document['text'] : undefined;
  return typeof own === 'string' ? { text: own, path: ['documents', at, 'text'] } : NO_TEXT;
}

/** All items: messages of any role, and the results of tools. */
function responseInput({ input }: JsonObject): readonly Place[] {
  if (!Array.isArray(input)) return text(input, ['input']);
  return input.flatMap((item: unknown, i): readonly Place[] => {
    if (!isObject(item)) return text(item, ['input', i]);
    if (isToolOutput(item['type']) && item['type'] !== 'shell_call_output')
      return content(item['output'], ['input', i, 'output']);
    const isMessage = item['type'] === 'message' || item['role'] !== undefined;
    return isMessage
      ? content(item['content'], ['input', i, 'content'])
      : placesWithin(textsOfItem(item, ['input', i]));
  });
}

function responseOutput({ output }: JsonObject): readonly Place[] {
  if (!Array.isArray(output)) return NOWHERE;
  return output.flatMap((item: unknown, i): readonly Place[] => {
    if (!isObject(item)) return NOWHERE;
    if (item['type'] !== 'message' && item['type'] !== 'reasoning')
      return placesWithin(textsOfItem(item, ['output', i]));
    return ['summary', 'content'].flatMap((name): readonly Place[] => {
      const parts = item[name];
      return Array.isArray(parts) ? parts.flatMap((part, k) => outputPart(part, ['output', i, name, k])) : NOWHERE;
    });
  });
}

function outputPart(part: unknown, path: Path): readonly Place[] {
  if (!isObject(part)) return [NO_TEXT];
  const key = part['type'] === 'refusal' ? 'refusal' : 'text';
  return textsIn(part, [key], path, placesWithin(textsOfBlock(part, path)));
}
