import { splitEvenly, splitPieces } from '../answer/index.ts';
import type { Frame } from '../reply.ts';
import { namedFrame } from '../sse.ts';
import type { Chat, ContentBlock } from './chat.ts';

const INPUT_SLICE_CHARACTERS = 12;

/** The events of a streamed chat: plan and calls, or blocks of content; citations stand in the text that they are of. */
export function chatFrames({ id, message, finish_reason, usage }: Chat): readonly Frame[] {
  const { tool_plan = '', tool_calls = [], content = [] } = message;
  const started = { role: message.role, content: [], tool_plan: '', tool_calls: [], citations: [] };
  return [
    namedFrame({ id, type: 'message-start', delta: { message: started } }),
    ...content.flatMap((block, index) => blockFrames(block, index, message)),
    ...splitPieces(tool_plan).map((piece) => tokenFrame('tool-plan-delta', { tool_plan: piece })),
    ...tool_calls.flatMap(callFrames),
    namedFrame({ type: 'message-end', delta: { finish_reason, usage } }, 'end'),
  ];
}

/** A piece of the answer. */
const tokenFrame = (type: string, message: object, index?: number): Frame =>
  namedFrame({ type, ...(index === undefined ? {} : { index }), delta: { message } }, 'token');

function blockFrames(block: ContentBlock, index: number, { citations = [] }: Chat['message']): readonly Frame[] {
  const own = citations.filter(({ content_index: at }) => at === index);
  const empty = block.type === 'text' ? { ...block, text: '' } : { ...block, thinking: '' };
  const deltas =
    block.type === 'text'
      ? splitPieces(block.text).map((text) => ({ text }))
      : splitPieces(block.thinking).map((thinking) => ({ thinking }));
  return [
    namedFrame({ type: 'content-start', index, delta: { message: { content: empty } } }),
    ...deltas.map((content) => tokenFrame('content-delta', { content }, index)),
    ...own.flatMap((citation, at) => [
      namedFrame({ type: 'citation-start', index: at, delta: { message: { citations: citation } } }),
      namedFrame({ type: 'citation-end', index: at }),
    ]),
    namedFrame({ type: 'content-end', index }),
  ];
}

function callFrames(call: NonNullable<Chat['message']['tool_calls']>[number], index: number): readonly Frame[] {
  const { name, arguments: given } = call.function;
  const started = { ...call, function: { name, arguments: '' } };
  return [
    namedFrame({ type: 'tool-call-start', index, delta: { message: { tool_calls: started } } }),
    ...splitEvenly(given, INPUT_SLICE_CHARACTERS).map((piece) =>
      tokenFrame('tool-call-delta', { tool_calls: { function: { arguments: piece } } }, index),
    ),
    namedFrame({ type: 'tool-call-end', index }),
  ];
}
