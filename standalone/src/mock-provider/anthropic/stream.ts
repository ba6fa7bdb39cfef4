import { splitEvenly, splitPieces } from '../answer/index.ts';
import type { Frame } from '../reply.ts';
import { namedFrame } from '../sse.ts';
import type { ContentBlock, Message } from './message.ts';

const INPUT_SLICE_CHARACTERS = 12;

/** The event sequence of a streamed message. `output_tokens` of the last event counts the whole answer. */
export function messageFrames(message: Message): readonly Frame[] {
  const { stop_reason, stop_sequence, usage } = message;
  const started = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  return [
    namedFrame({ type: 'message_start', message: started }),
    ...message.content.flatMap((block, index) => blockFrames(block, index)),
    namedFrame({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: toDeltaUsage(usage) }),
    namedFrame({ type: 'message_stop' }, 'end'),
  ];
}

function toDeltaUsage({ cache_creation: _, service_tier: __, ...usage }: Message['usage']) {
  return usage;
}

const PING = namedFrame({ type: 'ping' });

function blockFrames(block: ContentBlock, index: number): readonly Frame[] {
  const { empty, deltas } = takeApart(block);
  return [
    namedFrame({ type: 'content_block_start', index, content_block: empty }),
    ...(index === 0 ? [PING] : []),
    ...deltas.map((delta) => namedFrame({ type: 'content_block_delta', index, delta }, 'token')),
    namedFrame({ type: 'content_block_stop', index }),
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
