/** Anthropic messages: blocks by index between `message_start` and `message_stop`. */

import { isObject } from '@gatehouse/crds';
import { readJson } from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { type AnswerBuilder, indexOf, parseFrame } from './builder.ts';
import { type CharacterBudget, Draft, DraftList } from './draft.ts';

interface State {
  readonly message: Draft;
  readonly usage: Draft;
  readonly blocks: DraftList;
  /** JSON text of tool inputs by block index, until the block stops. */
  readonly inputs: Draft;
  readonly open: Set<number>;
  started: boolean;
  stopped: boolean;
}

type Handler = (state: State, event: JsonObject) => boolean;

const HANDLERS: ReadonlyMap<unknown, Handler> = new Map<unknown, Handler>([
  ['message_start', startMessage],
  ['content_block_start', startBlock],
  ['content_block_delta', growBlock],
  ['content_block_stop', stopBlock],
  ['message_delta', changeMessage],
  ['message_stop', stopMessage],
  ['error', () => false],
]);

export function createMessagesBuilder(budget: CharacterBudget): AnswerBuilder {
  const state: State = {
    message: new Draft(budget),
    usage: new Draft(budget),
    blocks: new DraftList(budget),
    inputs: new Draft(budget),
    open: new Set(),
    started: false,
    stopped: false,
  };
  return {
    take: (frame) => {
      if (state.stopped) return true;
      const event = parseFrame(frame);
      if (event === undefined) return false;
      return HANDLERS.get(event['type'])?.(state, event) ?? true; // pings and unknown events
    },
    finish: () => {
      const { message, open, started, stopped } = state;
      const whole = started && stopped && open.size === 0 && typeof message.get('stop_reason') === 'string';
      return whole ? toMessage(state) : undefined;
    },
    soFar: () => (state.started ? toMessage(state) : undefined),
  };
}

const toMessage = ({ message, usage, blocks }: State): object => ({
  ...message.toObject(),
  content: blocks.toArray(),
  usage: usage.toObject(),
});

function startMessage(state: State, { message }: JsonObject): boolean {
  if (!isObject(message) || state.started) return false;
  state.started = true;
  for (const [key, value] of Object.entries(message)) {
    if (key !== 'content' && key !== 'usage') state.message.set(key, value);
  }
  mergeUsage(state, message['usage']);
  return true;
}

function startBlock({ blocks, open }: State, event: JsonObject): boolean {
  const index = indexOf(event, blocks.size);
  const block = event['content_block'];
  if (!isObject(block) || blocks.has(index)) return false;
  open.add(index);
  const draft = blocks.at(index);
  for (const [key, value] of Object.entries(block)) draft.set(key, Array.isArray(value) ? [...value] : value);
  return true;
}

/** Delta type to the member it appends to; the delta carries it under the same name. */
const GROWING: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
]);

function growBlock({ blocks, inputs, open }: State, event: JsonObject): boolean {
  const { delta } = event;
  const index = indexOf(event, -1);
  if (!isObject(delta) || !open.has(index)) return false;
  const block = blocks.at(index);
  const member = GROWING.get(delta['type']);
  if (member !== undefined) block.append(member, delta[member]);
  else if (delta['type'] === 'input_json_delta') inputs.append(String(index), delta['partial_json']);
  else if (delta['type'] === 'citations_delta') block.concat('citations', [delta['citation']]);
  else return false; // an unknown delta would be lost
  return true;
}

function stopBlock({ blocks, inputs, open }: State, event: JsonObject): boolean {
  const index = indexOf(event, -1);
  if (!open.delete(index)) return false;
  const json = inputs.remove(String(index));
  if (typeof json !== 'string' || json === '') return true;
  try {
    blocks.at(index).set('input', readJson(json));
    return true;
  } catch {
    return false;
  }
}

function changeMessage(state: State, { type: _type, delta, usage, ...rest }: JsonObject): boolean {
  const changes = isObject(delta) ? { ...rest, ...delta } : rest;
  for (const [key, value] of Object.entries(changes)) state.message.setKnown(key, value);
  mergeUsage(state, usage);
  return true;
}

function stopMessage(state: State): boolean {
  state.stopped = true;
  return true;
}

/** Later counts win; null is ignored. */
function mergeUsage({ usage }: State, counts: unknown): void {
  if (!isObject(counts)) return;
  for (const [key, value] of Object.entries(counts)) usage.setKnown(key, value);
}
