/** Anthropic messages: content blocks by index. */

import { isObject } from '@gatehouse/crds';
import { scalarText } from '../../../lib/scalar-text.ts';
import { type EventTexts, type StreamFormat, slotAt, type TextSlot, type Writable } from './format.ts';

export const messagesFormat: StreamFormat = { repeats: false, read };

function read(data: Writable): EventTexts {
  const part = scalarText(data['index']);
  switch (data['type']) {
    case 'content_block_start':
      return { data, slots: textsOf(data['content_block'], part), ends: [] };
    case 'content_block_delta':
      return { data, slots: textsOf(data['delta'], part), ends: [] };
    case 'content_block_stop':
      return { data, slots: [], ends: [part] };
    case 'message_delta':
    case 'message_stop':
    case 'error':
      return { data, slots: [], ends: 'all' };
    default:
      return { data, slots: [], ends: [] };
  }
}

function textsOf(owner: unknown, part: string): readonly TextSlot[] {
  if (!isObject(owner)) return [];
  return [
    ...slotAt(owner, 'text', { part, use: 'checked' }),
    ...slotAt(owner, 'partial_json', { part: `${part}.call`, use: 'arguments' }),
  ];
}
