/** Chat and text completions: chunks whose choices carry deltas. */
import { isObject } from '@gatehouse/crds';
import type { Frame, JsonObject } from '../../wire/contract.ts';
import { type AnswerBuilder, indexOf, isHookResults, objectsOf, parseFrame } from './builder.ts';
import { type CharacterBudget, Draft, type DraftList } from './draft.ts';

type MergeChoice = (choice: Draft, piece: JsonObject) => void;

/** Members of a chunk that are handled separately. `obfuscation` is padding that changes with every chunk. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(['choices', 'object', 'usage', 'hook_results', 'obfuscation']);
/** The same in every chunk. Citations that are objects come once each. */
const REPEATED: ReadonlySet<string> = new Set(['id', 'created', 'model', 'provider']);

export const createChatBuilder = (budget: CharacterBudget): AnswerBuilder =>
  createChunkBuilder('chat.completion', mergeChat, budget);

export const createCompletionBuilder = (budget: CharacterBudget): AnswerBuilder =>
  createChunkBuilder('text_completion', (choice, { text }) => choice.append('text', text ?? ''), budget);

function createChunkBuilder(object: string, mergeChoice: MergeChoice, budget: CharacterBudget): AnswerBuilder {
  const answer = new Draft(budget);
  answer.set('object', object);
  const choices = answer.list('choices');
  let done = false;
  return {
    take: (frame) => {
      if (done || isHookResults(frame)) return true;
      if (frame.data === '[DONE]') {
        done = true;
        return true;
      }
      return takeChunk(frame, answer, choices, mergeChoice);
    },
    finish: () => {
      const whole = done && choices.size > 0 && choices.every((choice) => choice.get('finish_reason') !== null);
      return whole ? answer.toObject() : undefined;
    },
    soFar: () => (choices.size > 0 ? answer.toObject() : undefined),
  };
}

function takeChunk(frame: Frame, answer: Draft, choices: DraftList, mergeChoice: MergeChoice): boolean {
  const chunk = parseFrame(frame);
  if (chunk === undefined || frame.event === 'error' || isObject(chunk['error'])) return false;
  for (const [key, value] of Object.entries(chunk)) {
    if (REPEATED.has(key)) answer.setOnce(key, value);
    else if (key === 'citations' && objectsOf(value).length > 0) answer.concat(key, value);
    else if (!OWN_MEMBERS.has(key)) answer.setKnown(key, value);
  }
  if (isObject(chunk['usage'])) answer.set('usage', chunk['usage']);
  for (const [place, piece] of objectsOf(chunk['choices']).entries()) {
    const index = indexOf(piece, place);
    const choice = choices.at(index);
    choice.setOnce('index', index);
    mergeChoice(choice, piece);
    mergeChoiceFacts(choice, piece);
  }
  return true;
}

/** Members common to both kinds of choices: reason, log probabilities, and provider-specific ones. */
function mergeChoiceFacts(choice: Draft, piece: JsonObject): void {
  choice.setKnown('finish_reason', piece['finish_reason'] ?? null);
  for (const [key, value] of Object.entries(piece)) {
    if (key === 'logprobs') mergeLogprobs(choice, value);
    else if (!CHOICE_MEMBERS.has(key)) choice.setKnown(key, value);
  }
}

const CHOICE_MEMBERS: ReadonlySet<string> = new Set(['index', 'delta', 'text', 'finish_reason']);

function mergeLogprobs(choice: Draft, value: unknown): void {
  if (!isObject(value)) {
    choice.setKnown('logprobs', value);
    return;
  }
  const logprobs = choice.child('logprobs');
  for (const [key, list] of Object.entries(value)) logprobs.concat(key, list);
}

function mergeChat(choice: Draft, { delta }: JsonObject): void {
  const message = choice.child('message');
  if (!isObject(delta)) return;
  for (const [key, value] of Object.entries(delta)) {
    const merge = MESSAGE_MEMBERS.get(key);
    if (merge === undefined) message.append(key, value);
    else merge(message, value);
  }
}

type MergeMember = (message: Draft, value: unknown) => void;

/** Members of a message that are merged item by item. */
const MESSAGE_MEMBERS: ReadonlyMap<string, MergeMember> = new Map<string, MergeMember>([
  ['role', (message, value) => message.setOnce('role', value)],
  ['annotations', (message, value) => message.setKnown('annotations', value)],
  ['tool_calls', mergeToolCalls],
  ['content_blocks', mergeBlocks],
  ['function_call', (message, value) => mergeNested(message, 'function_call', value)],
  ['audio', (message, value) => mergeNested(message, 'audio', value)],
]);

/** Texts that arrive in pieces, in a function, a custom tool and an audio answer; other members arrive once. */
const GROWING: ReadonlySet<string> = new Set(['arguments', 'input', 'data', 'transcript']);

function mergeNested(owner: Draft, key: string, value: unknown): void {
  if (!isObject(value)) {
    owner.setKnown(key, value);
    return;
  }
  const draft = owner.child(key);
  for (const [name, member] of Object.entries(value)) {
    if (GROWING.has(name)) draft.append(name, member);
    else draft.setOnce(name, member);
  }
}

function mergeToolCalls(message: Draft, value: unknown): void {
  message.setOnce('tool_calls', objectsOf(value).length === 0 ? value : undefined);
  for (const [place, piece] of objectsOf(value).entries()) {
    const call = message.list('tool_calls').at(indexOf(piece, place));
    if (isAnother(call.get('id'), piece['id'])) message.giveUp(); // calls without an index
    for (const [key, member] of Object.entries(piece)) {
      if (isObject(member)) mergeNested(call, key, member);
      else if (key !== 'index') call.setOnce(key, member);
    }
  }
}

const isAnother = (known: unknown, id: unknown): boolean => Boolean(known) && Boolean(id) && known !== id;

/** The type a block has when its deltas do not name it. */
const BLOCK_TYPES: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['signature', 'thinking'],
  ['data', 'redacted_thinking'],
  ['citation', 'text'],
]);

function mergeBlocks(message: Draft, value: unknown): void {
  message.setOnce('content_blocks', objectsOf(value).length === 0 ? value : undefined);
  for (const [place, piece] of objectsOf(value).entries()) {
    const block = message.list('content_blocks').at(indexOf(piece, place));
    const delta = isObject(piece['delta']) ? piece['delta'] : {};
    block.setOnce('type', delta['type']);
    for (const [key, member] of Object.entries(delta)) {
      block.setOnce('type', BLOCK_TYPES.get(key));
      if (key === 'citation') block.concat('citations', [member]);
      else if (key !== 'type') block.append(key, member);
    }
  }
}
