/** A `generateContent` answer as a chat completion. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../json/json.ts';
import type { AnswerMessage, ChatChoice, ChatCompletion, ContentPart, ToolCall } from '../openai/index.ts';
import {
  blockReasonOf,
  type CalledFunction,
  extrasOf,
  finishReasonOf,
  logprobsOf,
  type Piece,
  piecesOf,
  usageOf,
} from './candidate.ts';

/** The error says why the body is no Gemini answer. */
export function fromGeminiAnswer(body: unknown, ctx: WireContext): Result<ChatCompletion, string> {
  if (!isObject(body)) return err('the answer is no object');
  const candidates = objectsAt(body, 'candidates');
  const usage = objectAt(body, 'usageMetadata');
  const blocked = blockReasonOf(body) !== undefined;
  if (candidates.length === 0 && usage === undefined && !blocked) return err('the answer has no candidates');
  return ok({
    id: ctx.newId('chatcmpl-', 29),
    object: 'chat.completion',
    created: Math.floor(ctx.now() / 1000),
    model: textAt(body, 'modelVersion') ?? ctx.model,
    provider: ctx.provider,
    choices:
      candidates.length === 0
        ? [emptyChoice(body, ctx)]
        : candidates.map((candidate, at) => toChoice(candidate, at, ctx)),
    ...(usage === undefined ? {} : { usage: usageOf(usage) }),
  });
}

/** No candidate at all: the prompt was blocked, or nothing was generated. SDKs read `choices[0]` unconditionally. */
function emptyChoice(body: JsonObject, ctx: WireContext): ChatChoice {
  const blocked = blockReasonOf(body) !== undefined;
  return {
    index: 0,
    message: { role: 'assistant', content: '' },
    logprobs: null,
    finish_reason: blocked ? 'content_filter' : 'stop',
    ...(blocked && !ctx.strict ? { promptFeedback: body['promptFeedback'] } : {}),
  };
}

function toChoice(candidate: JsonObject, at: number, ctx: WireContext): ChatChoice {
  const pieces = piecesOf(candidate, ctx);
  const message = toMessage(pieces, textAt(candidate, 'finishMessage') ?? '', ctx.strict);
  return {
    index: numberAt(candidate, 'index') ?? at,
    message,
    logprobs: logprobsOf(candidate),
    finish_reason: finishReasonOf(textAt(candidate, 'finishReason'), message.tool_calls !== undefined, ctx.strict),
    ...extrasOf(candidate, ctx.strict),
  };
}

function toMessage(pieces: readonly Piece[], finishMessage: string, strict: boolean): AnswerMessage {
  const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
  const calls = pieces.filter((piece) => piece.kind === 'call').map(({ call }) => toToolCall(call));
  const blocks = strict ? [] : pieces.map(toBlock).filter((block) => block !== undefined);
  const wordless = calls.length > 0 ? null : finishMessage;
  return {
    role: 'assistant',
    content: text === '' ? wordless : text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(blocks.length > 0 ? { content_blocks: blocks } : {}),
  };
}

const toToolCall = ({ id, ...called }: CalledFunction): ToolCall => ({
  id,
  type: 'function',
  function: called,
});

function toBlock(piece: Piece): ContentPart | undefined {
  switch (piece.kind) {
    case 'text':
      return {
        type: 'text',
        text: piece.text,
        ...(piece.signature === undefined ? {} : { thought_signature: piece.signature }),
      };
    case 'thinking':
      return {
        type: 'thinking',
        thinking: piece.text,
        ...(piece.signature === undefined ? {} : { signature: piece.signature }),
      };
    case 'image':
      return { type: 'image_url', image_url: { url: piece.url }, ...piece.more };
    case 'code':
      return piece.block;
    case 'call':
      return undefined; // tool calls are never content blocks
  }
}
