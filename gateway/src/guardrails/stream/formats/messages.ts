/** Anthropic messages: content blocks by index. */

import { isObject } from '@gatehouse/crds';
import { scalarText } from '../../../lib/scalar-text.ts';
import { isOwnCall, isSummary, textsOfBlock } from '../../extract/index.ts';
import { type EventTexts, type StreamFormat, slotAt, type TextSlot, type Writable } from './format.ts';
import { type Ended, JsonReaders, joined, jsonSlots, NO_SLOTS, slotsWithin } from './within.ts';

export function messagesFormat(): StreamFormat {
  const inputs = new JsonReaders();
  return { repeats: false, read: (data) => read(data, inputs), end: () => inputs.endAll() };
}

/** `inputs`: of the calls that the provider answers itself. */
function read(data: Writable, inputs: JsonReaders): EventTexts {
  const part = scalarText(data['index']);
  switch (data['type']) {
    case 'content_block_start':
      return { data, ...startTexts(data['content_block'], part, inputs) };
    case 'content_block_delta':
      return { data, ...deltaTexts(data['delta'], part, inputs) };
    case 'content_block_stop':
      return { data, slots: [], ends: [part, ...inputs.end(part)] };
    case 'message_delta':
    case 'message_stop':
    case 'error':
      return { data, slots: [], ends: 'all' };
    default:
      return { data, slots: [], ends: [] };
  }
}

function startTexts(block: unknown, part: string, inputs: JsonReaders): Ended {
  if (!isObject(block)) return NO_SLOTS;
  if (isOwnCall(block)) inputs.of(part);
  return joined([{ slots: textsOf(block, part), ends: [] }, besideOf(block, part)]);
}

function deltaTexts(delta: unknown, part: string, inputs: JsonReaders): Ended {
  if (!isObject(delta)) return NO_SLOTS;
  const input = inputs.get(part);
  if (input !== undefined && delta['partial_json'] !== undefined)
    return jsonSlots(delta, 'partial_json', { input, part: `${part}.input`, use: 'checked' });
  return joined([{ slots: textsOf(delta, part), ends: [] }, besideOf(delta, part)]);
}

const besideOf = (block: Writable, part: string): Ended =>
  isSummary(block)
    ? { slots: slotAt(block, 'content', { part, use: 'checked' }), ends: [] }
    : slotsWithin(block, textsOfBlock(block, []), { use: 'checked', json: () => `${part}.input` });

const textsOf = (owner: Writable, part: string): readonly TextSlot[] => [
  ...slotAt(owner, 'text', { part, use: 'checked' }),
  ...slotAt(owner, 'partial_json', { part: `${part}.call`, use: 'arguments' }),
];
