/** What an answer says beside its text: what a provider has run itself, and citations. Names of members: Anthropic, Azure OpenAI, Cohere, Gemini, Groq, OpenAI and Perplexity APIs. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../wire/contract.ts';
import type { Path } from './place.ts';

/** A text in a value. */
export interface TextWithin {
  readonly text: string;
  readonly path: Path;
  /** It is JSON: what its strings say is looked at. */
  readonly isJson: boolean;
}

const NOTHING: readonly TextWithin[] = [];

/** Members that say nothing to a reader, of values whose members are known. */
const TECHNICAL: ReadonlySet<string> = new Set([
  ...['type', 'id', 'name', 'role', 'object', 'status', 'outcome', 'signature', 'thought_signature', 'hash', 'detail'],
  ...['caller', 'container', 'cache_control', 'media_type', 'mime_type', 'mimeType', 'file_type', 'format', 'language'],
  ...['server_name', 'server_label', 'error_code', 'page_age', 'retrieved_at', 'sdkBlob', 'urlRetrievalStatus', 'png'],
]);
const ID = /(?:_ids?|[a-z]Ids?)$/;
/** Members whose own members may have any name. */
const FREE: ReadonlySet<string> = new Set(['input', 'document', 'tool_output', 'attributes']);
/** Members that are JSON, as a text. */
const JSON_TEXTS: ReadonlySet<string> = new Set(['arguments', 'partial_json']);

/** All texts in a value, whatever its form is. */
function textsIn(value: unknown, path: Path, { isFree = false } = {}): readonly TextWithin[] {
  const found: TextWithin[] = [];
  collect(value, path, { isFree, found });
  return found;
}

interface Search {
  readonly isFree: boolean;
  readonly found: TextWithin[];
}

/** Values come from JSON, whose depth is bounded where it is read. */
function collect(value: unknown, path: Path, search: Search): void {
  if (typeof value === 'string') {
    if (value !== '') search.found.push({ text: value, path, isJson: false });
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) collect(item, [...path, i], search);
  } else if (isObject(value)) collectMembers(value, path, search);
}

function collectMembers(value: JsonObject, path: Path, { isFree, found }: Search): void {
  for (const [name, member] of Object.entries(value)) {
    const at = [...path, name];
    if (isFree) collect(member, at, { isFree, found });
    else if (JSON_TEXTS.has(name) && typeof member === 'string') {
      if (member !== '') found.push({ text: member, path: at, isJson: true });
    } else if (!isTechnical(name, value)) collect(member, at, { isFree: FREE.has(name), found });
  }
}

function isTechnical(name: string, { [name]: member, type }: JsonObject): boolean {
  if (TECHNICAL.has(name) || ID.test(name) || name.startsWith('encrypted_')) return true;
  if (name === 'data') return type !== 'text';
  if (name === 'result') return type === 'image_generation_call';
  return (name === 'url' || name === 'image_url') && typeof member === 'string' && member.startsWith('data:');
}

/** Calls that Anthropic, or a server of tools for it, answers itself. */
export const isOwnCall = ({ type }: JsonObject): boolean => type === 'server_tool_use' || type === 'mcp_tool_use';

const isOwnResult = ({ type }: JsonObject): boolean =>
  typeof type === 'string' && type.endsWith('_tool_result') && type !== 'tool_result';

/** A summary of what was said before, or a piece of it. */
export const isSummary = ({ type }: JsonObject): boolean => type === 'compaction' || type === 'compaction_delta';

/** Of a content block: what was called, or came of it, and the citations of its text; of a message or a part of a response its annotations. */
export function textsOfBlock(block: JsonObject, path: Path): readonly TextWithin[] {
  const { content, citations, input, partial_json } = block;
  if (isOwnResult(block)) return textsIn(content, [...path, 'content']);
  if (isOwnCall(block)) {
    const called = textsIn(input, [...path, 'input'], { isFree: true });
    return [...called, ...textsOfMembers({ partial_json }, ['partial_json'], path)];
  }
  if (isSummary(block)) return textsOfMembers(block, ['content'], path);
  const quotes = Array.isArray(citations) ? textsIn(citations, [...path, 'citations']) : NOTHING;
  return [...quotes, ...textsOfMembers(block, ['citation', 'annotations'], path)];
}

/** Items of a response that a client runs itself, and those that have their texts elsewhere. */
const OTHERS: ReadonlySet<unknown> = new Set([
  ...['message', 'reasoning', 'function_call', 'custom_tool_call', 'computer_call', 'local_shell_call'],
  ...['apply_patch_call', 'item_reference', 'compaction'],
]);

/** Of an item of a response that the provider has run: a search, code, a call of a server of tools. */
export const textsOfItem = (item: JsonObject, path: Path): readonly TextWithin[] =>
  typeof item['type'] !== 'string' || OTHERS.has(item['type']) ? NOTHING : textsIn(item, path);

/** Of the named members that quote something. */
export function textsOfMembers(owner: JsonObject, names: readonly string[], path: Path): readonly TextWithin[] {
  const present = names.filter((name) => owner[name] !== undefined && owner[name] !== null);
  if (present.length === 0) return NOTHING;
  return textsIn(Object.fromEntries(present.map((name) => [name, owner[name]])), path);
}

/** Members that quote something: of a choice, and of a whole chat completion. */
export const CHOICE_QUOTES = ['groundingMetadata', 'citationMetadata', 'urlContextMetadata'] as const;
export const ANSWER_QUOTES = ['citations', 'search_results', 'related_questions'] as const;
/** Of a message of a chat completion, or of its pieces: Groq, Azure OpenAI and Perplexity APIs, too. */
const MESSAGE_QUOTES = ['annotations', 'executed_tools', 'context', ...ANSWER_QUOTES] as const;

/** Of a message of a chat completion, or of a piece of one: what it quotes, tools that a provider has run for it, and what its sound says. */
export function textsOfMessage(message: JsonObject, path: Path): readonly TextWithin[] {
  const quotes = textsOfMembers(message, MESSAGE_QUOTES, path);
  const { audio } = message;
  if (!isObject(audio)) return quotes;
  return [...quotes, ...textsOfMembers(audio, ['transcript'], [...path, 'audio'])];
}
