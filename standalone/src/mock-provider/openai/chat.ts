import { isObject } from '@gatehouse/crds';
import { type Answer, composeAnswers, type PromptOptions, type ToolChoice, toPrompt } from '../answer/index.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readCount, readList, readObject, readObjects, readString, readStrings } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import { SSE_HEADERS } from '../sse.ts';
import { type ChatEnvelope, toFinishReason } from './chat-envelope.ts';
import { chatFrames } from './chat-stream.ts';
import { chatTurns } from './content.ts';
import { openaiErrorFrame, refuseField } from './errors.ts';
import { admitLogprobs, toTokenLogprobs } from './logprobs.ts';
import { toUsage } from './usage.ts';

const MAX_CHOICES = 128; // bound of `n` in the API

export function answerChat(exchange: Exchange, body: JsonObject): Reply {
  const messages = readList(body, 'messages') ?? [];
  const model = readString(body, 'model');
  if (model === undefined) return refuseField('model', 'model is required');
  if (messages.length === 0) return refuseField('messages', 'messages must be a list with at least one message');
  const choices = Math.max(1, readCount(body, 'n') ?? 1);
  if (choices > MAX_CHOICES) return refuseField('n', `n must be at most ${MAX_CHOICES}`);
  const prompt = toPrompt(chatTurns(messages), readOptions(body));
  const answers = composeAnswers(prompt, exchange.controls, choices);
  const topLogprobs = body['logprobs'] === true ? (readCount(body, 'top_logprobs') ?? 0) : undefined;
  if (topLogprobs !== undefined) {
    admitLogprobs(
      answers.reduce((sum, { text }) => sum + text.length, 0),
      topLogprobs,
    );
  }
  const { seed } = exchange;
  const envelope: ChatEnvelope = {
    id: seed.id('chatcmpl-'),
    created: seed.createdSeconds,
    model,
    topLogprobs,
    callId: (choice, call) => seed.id('call_', choice * 16 + call),
  };
  const headers = { 'x-request-id': seed.id('req_') };
  if (body['stream'] !== true) return json(toChatCompletion(envelope, answers), headers);
  const withUsage = readObject(body, 'stream_options')?.['include_usage'] === true;
  return {
    kind: 'stream',
    headers: { ...SSE_HEADERS, ...headers },
    frames: chatFrames(envelope, answers, withUsage),
    errorFrame: openaiErrorFrame,
  };
}

function readOptions(body: JsonObject): PromptOptions {
  const format = readObject(body, 'response_format');
  const schema = format === undefined ? undefined : readObject(format, 'json_schema')?.['schema'];
  return {
    tools: readObjects(body, 'tools').flatMap((tool) => {
      const declared = readObject(tool, 'function');
      const name = declared === undefined ? undefined : readString(declared, 'name');
      return name === undefined ? [] : [{ name, schema: declared?.['parameters'] }];
    }),
    toolChoice: readToolChoice(body['tool_choice']),
    parallelCalls: body['parallel_tool_calls'] !== false,
    ...(format === undefined || format['type'] === 'text' ? {} : { json: { schema } }),
    maxTokens: readCount(body, 'max_tokens') ?? readCount(body, 'max_completion_tokens'),
    stop: readStrings(body, 'stop'),
    thinks: body['reasoning_effort'] !== undefined && body['reasoning_effort'] !== 'none',
  };
}

/** `auto`, `none`, `required`, or the object forms of chat (`function.name`) and Responses (`name`). */
export function readToolChoice(choice: unknown): ToolChoice {
  if (choice === 'none' || choice === 'required') return choice;
  if (!isObject(choice)) return 'auto';
  const name = readString(readObject(choice, 'function') ?? choice, 'name');
  return name === undefined ? 'auto' : { name };
}

export function toChatCompletion(envelope: ChatEnvelope, answers: readonly Answer[]) {
  return {
    id: envelope.id,
    object: 'chat.completion' as const,
    created: envelope.created,
    model: envelope.model,
    choices: answers.map((answer, index) => ({
      index,
      message: toMessage(envelope, answer, index),
      logprobs: toTokenLogprobs(answer.text, envelope.topLogprobs),
      finish_reason: toFinishReason(answer),
    })),
    usage: toUsage(answers),
    service_tier: 'default' as const,
    system_fingerprint: 'fp_mock',
  };
}

function toMessage(envelope: ChatEnvelope, answer: Answer, choice: number) {
  const message = { role: 'assistant' as const, content: answer.text, refusal: null, annotations: [] };
  if (answer.calls.length === 0) return message;
  return {
    ...message,
    content: null,
    tool_calls: answer.calls.map((call, index) => ({
      id: envelope.callId(choice, index),
      type: 'function' as const,
      function: { name: call.name, arguments: call.json },
    })),
  };
}
