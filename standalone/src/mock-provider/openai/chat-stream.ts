import { type Answer, splitEvenly, splitPieces } from '../answer/index.ts';
import type { Frame } from '../reply.ts';
import { DONE_FRAME, dataFrame } from '../sse.ts';
import { type ChatEnvelope, toFinishReason } from './chat-envelope.ts';
import { toTokenLogprobs } from './logprobs.ts';
import { toUsage } from './usage.ts';

const ARGUMENT_SLICE_CHARACTERS = 12;

type Chunk = ReturnType<typeof toChunk>;
type Delta = Chunk['choices'][number]['delta'];

/** The chunks of a chat stream and its end mark. With usage: one more chunk without choices, and `usage: null` before it. */
export function chatFrames(envelope: ChatEnvelope, answers: readonly Answer[], withUsage: boolean): readonly Frame[] {
  const frames = answers.flatMap((answer, index) =>
    choiceChunks(envelope, answer, index).map((chunk) =>
      dataFrame(withUsage ? { ...chunk, usage: null } : chunk, isToken(chunk) ? 'token' : 'event'),
    ),
  );
  if (withUsage) frames.push(dataFrame({ ...toChunk(envelope, []), usage: toUsage(answers) }));
  frames.push(DONE_FRAME);
  return frames;
}

function isToken(chunk: Chunk): boolean {
  const delta = chunk.choices[0]?.delta;
  return delta?.role === undefined && (delta?.content !== undefined || delta?.tool_calls !== undefined);
}

function choiceChunks(envelope: ChatEnvelope, answer: Answer, index: number): readonly Chunk[] {
  const chunk = (delta: Delta, finish: ReturnType<typeof toFinishReason> | null = null): Chunk =>
    toChunk(envelope, [
      {
        index,
        delta,
        logprobs: delta.content ? toTokenLogprobs(delta.content, envelope.topLogprobs) : null,
        finish_reason: finish,
      },
    ]);
  return [
    chunk({ role: 'assistant', content: answer.calls.length > 0 ? null : '', refusal: null }),
    ...splitPieces(answer.text).map((content) => chunk({ content })),
    ...callDeltas(envelope, answer, index).map((call) => chunk({ tool_calls: [call] })),
    chunk({}, toFinishReason(answer)),
  ];
}

interface CallDelta {
  index: number;
  id?: string;
  type?: 'function';
  function: { name?: string; arguments: string };
}

function callDeltas(envelope: ChatEnvelope, answer: Answer, choice: number): readonly CallDelta[] {
  return answer.calls.flatMap((call, index): CallDelta[] => [
    { index, id: envelope.callId(choice, index), type: 'function', function: { name: call.name, arguments: '' } },
    ...splitEvenly(call.json, ARGUMENT_SLICE_CHARACTERS).map((slice) => ({ index, function: { arguments: slice } })),
  ]);
}

interface ChunkChoice {
  index: number;
  delta: { role?: 'assistant'; content?: string | null; refusal?: null; tool_calls?: CallDelta[] };
  logprobs: ReturnType<typeof toTokenLogprobs>;
  finish_reason: 'stop' | 'length' | 'tool_calls' | null;
}

function toChunk({ id, created, model }: ChatEnvelope, choices: ChunkChoice[]) {
  return {
    id,
    object: 'chat.completion.chunk' as const,
    created,
    model,
    service_tier: 'default' as const,
    system_fingerprint: 'fp_mock',
    choices,
  };
}
