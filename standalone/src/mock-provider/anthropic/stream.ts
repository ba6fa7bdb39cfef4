import { splitEvenly, splitPieces } from '../answer/index.ts';
import type { Frame } from '../reply.ts';
import { namedFrame, type TypedData } from '../sse.ts';
import type { ContentBlock, Message } from './message.ts';

const INPUT_SLICE_CHARACTERS = 12;

export interface MessageEvent {
  readonly data: TypedData;
  readonly kind: Frame['kind'];
}

/** The event sequence of a streamed message. `output_tokens` of the last event counts the whole answer. */
export function messageEvents(message: Message): readonly MessageEvent[] {
  const { stop_reason, stop_sequence, usage } = message;
  const started = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  return [
    event({ type: 'message_start', message: started }),
    ...message.content.flatMap((block, index) => blockEvents(block, index)),
    event({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: toDeltaUsage(usage) }),
    event({ type: 'message_stop' }, 'end'),
  ];
}

export function messageFrames(message: Message): readonly Frame[] {
  return messageEvents(message).map(({ data, kind }) => namedFrame(data, kind));
}

const event = (data: TypedData, kind: Frame['kind'] = 'event'): MessageEvent => ({ data, kind });

function toDeltaUsage({ cache_creation: _, service_tier: __, ...usage }: Message['usage']) {
  return usage;
}

const PING = event({ type: 'ping' });

function blockEvents(block: ContentBlock, index: number): readonly MessageEvent[] {
  const { empty, deltas } = takeApart(block);
  return [
    event({ type: 'content_block_start', index, content_block: empty }),
    ...(index === 0 ? [PING] : []),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta }, 'token')),
    event({ type: 'content_block_stop', index }),
  ];
}

interface Apart {
  /** The block as it is announced. */
  readonly empty: object;
  readonly deltas: readonly object[];
}

function takeApart(block: ContentBlock): Apart {
  switch (block.type) {
    case 'text':
      return {
        empty: { ...block, text: '' },
        deltas: splitPieces(block.text).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        empty: { ...block, thinking: '', signature: '' },
        deltas: [
          ...splitPieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use':
      return {
        empty: { ...block, input: {} },
        deltas: ['', ...splitEvenly(JSON.stringify(block.input), INPUT_SLICE_CHARACTERS)].map((json) => ({
          type: 'input_json_delta',
          partial_json: json,
        })),
      };
  }
}
