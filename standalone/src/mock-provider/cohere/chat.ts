import { type Answer, composeAnswer } from '../answer/index.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readObject } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import type { Seed } from '../seed.ts';
import { SSE_HEADERS } from '../sse.ts';
import { cohereErrorFrame, refuseInvalid } from './errors.ts';
import { readPrompt, readSources, type Source } from './request.ts';
import { chatFrames } from './stream.ts';
import { faultOfChat } from './validate.ts';

const WITHOUT_CITATIONS: readonly unknown[] = ['OFF', 'DISABLED'];

export type Chat = ReturnType<typeof toChat>;
export type ContentBlock = NonNullable<Chat['message']['content']>[number];

export function answerChat({ seed, controls }: Exchange, body: JsonObject): Reply {
  const fault = faultOfChat(body);
  if (fault !== undefined) return refuseInvalid(fault);
  const prompt = readPrompt(body);
  const mode = readObject(body, 'citation_options')?.['mode'];
  const isCited = !WITHOUT_CITATIONS.includes(mode) && prompt.options.json === undefined;
  const chat = toChat(seed, composeAnswer(prompt, controls), isCited ? readSources(body) : []);
  if (body['stream'] !== true) return json(chat);
  return { kind: 'stream', headers: SSE_HEADERS, frames: chatFrames(chat), errorFrame: cohereErrorFrame };
}

function toChat(seed: Seed, answer: Answer, sources: readonly Source[]) {
  const { prompt, completion } = answer.tokens;
  const tokens = { input_tokens: prompt, output_tokens: completion };
  return {
    id: seed.id(''),
    finish_reason: toFinishReason(answer),
    message: { role: 'assistant' as const, ...toCalls(seed, answer), ...toContent(answer), ...cite(answer, sources) },
    usage: { billed_units: tokens, tokens },
  };
}

function toCalls(seed: Seed, { calls }: Answer) {
  if (calls.length === 0) return {};
  return {
    tool_plan: `I will call ${calls.map(({ name }) => name).join(' and ')}.`,
    tool_calls: calls.map(({ name, json: given }, index) => ({
      id: seed.id(`${name}_`, index),
      type: 'function' as const,
      function: { name, arguments: given },
    })),
  };
}

function toContent({ thinking, text }: Answer) {
  const content = [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ];
  return content.length === 0 ? {} : { content };
}

/** One citation with all sources, of what the answer repeats: the words after its colon. */
function cite({ thinking, text }: Answer, sources: readonly Source[]) {
  const colon = text.indexOf(': ');
  const start = colon < 0 ? 0 : colon + 2;
  const cited = text.slice(start);
  if (sources.length === 0 || cited === '') return {};
  const place = { start, end: text.length, text: cited, content_index: thinking === '' ? 0 : 1 };
  return { citations: [{ ...place, type: 'TEXT_CONTENT' as const, sources }] };
}

function toFinishReason({ end, stoppedBy }: Answer) {
  if (end === 'calls') return 'TOOL_CALL' as const;
  if (end === 'length') return 'MAX_TOKENS' as const;
  return stoppedBy === undefined ? ('COMPLETE' as const) : ('STOP_SEQUENCE' as const);
}
