import { type Answer, composeAnswer, countTokens, splitEvenly, splitPieces } from '../answer/index.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readObject, readString } from '../json.ts';
import { type Frame, json, type Reply } from '../reply.ts';
import type { Seed } from '../seed.ts';
import { bedrockErrorFrame, refuseInvalid } from './errors.ts';
import { eventFrame } from './event-stream.ts';
import { readPrompt } from './request.ts';
import { faultOfConverse } from './validate.ts';

const INPUT_SLICE_CHARACTERS = 12;
const METRICS = { latencyMs: 1 }; // fixed, so that answers are deterministic

export function answerConverse({ seed, controls }: Exchange, body: JsonObject): Reply {
  const fault = faultOfConverse(body);
  if (fault !== undefined) return refuseInvalid(fault);
  const answer = composeAnswer(readPrompt(body), controls);
  const message = { role: 'assistant', content: toContent(seed, answer) };
  return json({ output: { message }, ...toEnd(answer) }, requestId(seed));
}

export function streamConverse({ seed, controls }: Exchange, body: JsonObject): Reply {
  const fault = faultOfConverse(body);
  if (fault !== undefined) return refuseInvalid(fault);
  const answer = composeAnswer(readPrompt(body), controls);
  const { stopReason, ...metadata } = toEnd(answer);
  return {
    kind: 'stream',
    headers: { 'content-type': 'application/vnd.amazon.eventstream', ...requestId(seed) },
    frames: [
      eventFrame('messageStart', { role: 'assistant' }),
      ...toContent(seed, answer).flatMap(blockFrames),
      eventFrame('messageStop', { stopReason }, 'end'),
      eventFrame('metadata', metadata, 'end'),
    ],
    errorFrame: bedrockErrorFrame,
  };
}

/** Counts a Converse request, or the body of an invocation. */
export function countConverse({ seed }: Exchange, body: JsonObject): Reply {
  const input = readObject(body, 'input') ?? {};
  const invoked = readString(readObject(input, 'invokeModel') ?? {}, 'body');
  if (invoked !== undefined) return counted(seed, Buffer.from(invoked, 'base64').toString().length);
  const converse = readObject(input, 'converse');
  const fault =
    converse === undefined ? "'input.converse' or 'input.invokeModel' is expected" : faultOfConverse(converse);
  if (fault !== undefined) return refuseInvalid(fault);
  return counted(seed, readPrompt(converse ?? {}).characters);
}

function counted(seed: Seed, characters: number): Reply {
  return json({ inputTokens: countTokens(characters) }, requestId(seed));
}

export const requestId = (seed: Seed): Readonly<Record<string, string>> => ({ 'x-amzn-requestid': seed.id('') });

type Block = ReturnType<typeof toContent>[number];

function toContent(seed: Seed, { thinking, text, calls }: Answer) {
  const signature = Buffer.from(seed.id('mock-signature-')).toString('base64');
  return [
    ...(thinking === '' ? [] : [{ reasoningContent: { reasoningText: { text: thinking, signature } } }]),
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ name, input }, index) => ({ toolUse: { toolUseId: seed.id('tooluse_', index), name, input } })),
  ];
}

function toEnd(answer: Answer) {
  const { prompt, completion } = answer.tokens;
  const tokens = { inputTokens: prompt, outputTokens: completion, totalTokens: prompt + completion };
  return {
    stopReason: toStopReason(answer),
    usage: { ...tokens, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 },
    metrics: METRICS,
  };
}

function toStopReason({ end, stoppedBy }: Answer): string {
  if (end === 'calls') return 'tool_use';
  if (end === 'length') return 'max_tokens';
  return stoppedBy === undefined ? 'end_turn' : 'stop_sequence';
}

/** Only blocks of tools have a start. */
function blockFrames(block: Block, contentBlockIndex: number): readonly Frame[] {
  const { start, deltas } = takeApart(block);
  return [
    ...(start === undefined ? [] : [eventFrame('contentBlockStart', { contentBlockIndex, start })]),
    ...deltas.map((delta) => eventFrame('contentBlockDelta', { contentBlockIndex, delta }, 'token')),
    eventFrame('contentBlockStop', { contentBlockIndex }),
  ];
}

function takeApart(block: Block): { readonly start?: object; readonly deltas: readonly object[] } {
  if ('text' in block) return { deltas: splitPieces(block.text).map((text) => ({ text })) };
  if ('toolUse' in block) {
    const { input, ...toolUse } = block.toolUse;
    const pieces = splitEvenly(JSON.stringify(input), INPUT_SLICE_CHARACTERS);
    return { start: { toolUse }, deltas: pieces.map((piece) => ({ toolUse: { input: piece } })) };
  }
  const { text, signature } = block.reasoningContent.reasoningText;
  const thoughts = splitPieces(text).map((piece) => ({ reasoningContent: { text: piece } }));
  return { deltas: [...thoughts, { reasoningContent: { signature } }] };
}
