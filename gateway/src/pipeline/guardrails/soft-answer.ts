/** A denial that is answered like a call that went well: docs/behaviour/guardrails.md#soft-denials. */
import { replayAsStream } from '../../cache/index.ts';
import { resultsEvent } from '../../guardrails/stream/index.ts';
import { newId } from '../../lib/random.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { wantsUsageChunk } from '../../wire/openai/index.ts';
import type { AttemptOutcome } from '../attempt/index.ts';
import type { AnswerBody, HeaderMap } from '../exchange.ts';
import type { DeniedCall, TargetGuards } from './target-guards.ts';

export interface SoftAnswer {
  readonly headers: HeaderMap;
  readonly body: AnswerBody;
  readonly stream: boolean;
}

interface Said {
  readonly text: string;
  readonly model: string;
  /** Unix time in seconds. */
  readonly created: number;
}

/** Where the guardrail says nothing: clients that are strict get no results to look into. */
const DENIED = 'The guardrail checks defined in the config failed.';

type TextFormat = Exclude<DeniedCall['prepared']['operation']['streamFormat'], 'events'>;

const NO_TOKENS = { input_tokens: 0, output_tokens: 0 };
const NO_CHAT_TOKENS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

const ANSWERS: Readonly<Record<TextFormat, (said: Said) => JsonObject>> = {
  chat: ({ text, model, created }) => ({
    id: newId('chatcmpl-'),
    object: 'chat.completion',
    created,
    model,
    choices: [
      { index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: 'stop' },
    ],
    usage: NO_CHAT_TOKENS,
  }),
  completion: ({ text, model, created }) => ({
    id: newId('cmpl-'),
    object: 'text_completion',
    created,
    model,
    choices: [{ index: 0, text, logprobs: null, finish_reason: 'stop' }],
    usage: NO_CHAT_TOKENS,
  }),
  messages: ({ text, model }) => ({
    id: newId('msg_'),
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: NO_TOKENS,
  }),
  responses: ({ text, model, created }) => ({
    id: newId('resp_'),
    object: 'response',
    created_at: created,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [
      {
        id: newId('msg_'),
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: { ...NO_TOKENS, total_tokens: 0 },
  }),
};

/** The answer instead of the denial, where the guardrail wants one and the operation has texts; undefined: the outcome stays. */
export function softAnswer({ guards, error, model }: AttemptOutcome, nowMs: number): SoftAnswer | undefined {
  const denied = guards?.denied;
  if (guards === undefined || denied === undefined || error?.code !== 'GUARDRAIL_DENIED' || !denied.denial.isSoft) {
    return undefined;
  }
  const format = denied.prepared.operation.streamFormat;
  if (format === 'events') return undefined;
  const text = denied.denial.message ?? DENIED;
  const said = ANSWERS[format]({ text, model, created: Math.floor(nowMs / 1_000) });
  return denied.prepared.call.stream ? asStream(said, format, { guards, denied }) : asJson(said, { guards, denied });
}

interface Denied {
  readonly guards: TargetGuards;
  readonly denied: DeniedCall;
}

function asJson(said: JsonObject, { guards, denied: { prepared, outputResults } }: Denied): SoftAnswer {
  const results = { before_request_hooks: guards.inputResults, after_request_hooks: outputResults };
  const answer = prepared.strict ? said : { ...said, hook_results: results };
  return {
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(answer)) },
    stream: false,
  };
}

function asStream(said: JsonObject, format: TextFormat, { guards, denied }: Denied): SoftAnswer {
  const { prepared, outputResults } = denied;
  const { strict } = prepared;
  const events = replayAsStream(format, said, { includeUsage: wantsUsageChunk(prepared.params) });
  const all = [...guards.withResultEvents(format, events, strict)];
  if (!strict && outputResults.length > 0)
    all.push(resultsEvent(format, { after_request_hooks: outputResults }).toString());
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: { kind: 'bytes', bytes: Buffer.from(all.join('')) },
    stream: true,
  };
}
