import { isObject } from '@gatehouse/crds';
import { type Answer, composeAnswer, type PromptOptions, splitPieces, type Turn, toPrompt } from '../answer/index.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readCount, readList, readObject, readObjects, readString, readStrings } from '../json.ts';
import { toTokenLogprobs } from '../openai/index.ts';
import { type Frame, json, type Reply, refuse } from '../reply.ts';
import { errorLine, lineFrame } from './errors.ts';

/** What the server says that it took, in ns: answers do not depend on a clock. */
const DURATIONS = {
  total_duration: 5_000_000,
  load_duration: 1_000_000,
  prompt_eval_duration: 1_500_000,
  eval_duration: 2_500_000,
} as const;

/** Log probabilities of a text, where the request asks for them. */
type Logprobs = (text: string) => object;

export function answerChat(exchange: Exchange, body: JsonObject): Reply {
  const model = readString(body, 'model');
  if (model === undefined || model === '') return refuse(400, 'model is required');
  const envelope = { model, created_at: exchange.seed.createdTime };
  const isStream = body['stream'] !== false;
  const messages = body['messages'] ?? [];
  if (!Array.isArray(messages) || !messages.every(isObject)) return refuse(400, 'messages must be a list of messages');
  if (messages.length === 0) {
    const loaded = { ...envelope, message: said(''), done: true, done_reason: isUnload(body) ? 'unload' : 'load' };
    return isStream ? toStream([lineFrame(loaded, 'end')]) : json(loaded);
  }
  const answer = composeAnswer(toPrompt(messages.map(toTurn), readOptions(body)), exchange.controls);
  const logprobs = logprobsOf(body);
  if (!isStream) {
    const message = { ...said(answer.text), ...thinkingOf(answer.thinking), ...callsOf(exchange, answer) };
    return json({ ...envelope, message, ...logprobs(answer.text), ...ending(answer) });
  }
  const line = (message: object, more: object = {}): Frame =>
    lineFrame({ ...envelope, message, ...more, done: false }, 'token');
  return toStream([
    ...splitPieces(answer.thinking).map((text) => line({ ...said(''), ...thinkingOf(text) })),
    ...splitPieces(answer.text).map((text) => line(said(text), logprobs(text))),
    ...(answer.calls.length === 0 ? [] : [line({ ...said(''), ...callsOf(exchange, answer) })]),
    lineFrame({ ...envelope, message: said(''), ...ending(answer) }, 'end'),
  ]);
}

const toStream = (frames: readonly Frame[]): Reply => ({
  kind: 'stream',
  headers: { 'content-type': 'application/x-ndjson' },
  frames,
  errorFrame: errorLine,
});

const said = (content: string) => ({ role: 'assistant', content });
const thinkingOf = (thinking: string) => (thinking === '' ? {} : { thinking });

function callsOf({ seed }: Exchange, { calls }: Answer): object {
  if (calls.length === 0) return {};
  return {
    tool_calls: calls.map(({ name, input }, index) => ({
      id: seed.id('call_', index),
      function: { index, name, arguments: input },
    })),
  };
}

const ending = ({ end, tokens }: Answer) => ({
  done: true,
  done_reason: end === 'length' ? 'length' : 'stop', // a call ends with stop, too
  ...DURATIONS,
  prompt_eval_count: tokens.prompt,
  eval_count: tokens.completion,
});

/** A duration of nothing in any unit: `0`, `"0s"`. */
const isUnload = ({ keep_alive: given }: JsonObject): boolean =>
  given === 0 || (typeof given === 'string' && /^0[a-zµ]{0,2}$/.test(given));

function logprobsOf(body: JsonObject): Logprobs {
  if (body['logprobs'] !== true) return () => ({});
  const top = readCount(body, 'top_logprobs') ?? 0;
  return (text) => ({ logprobs: toTokenLogprobs(text, top)?.content ?? [] });
}

function toTurn(message: JsonObject): Turn {
  const images = readList(message, 'images')?.length ?? 0;
  return {
    role: ROLES.get(readString(message, 'role') ?? '') ?? 'user',
    text: readString(message, 'content') ?? '',
    images,
  };
}

const ROLES: ReadonlyMap<string, Turn['role']> = new Map<string, Turn['role']>([
  ['system', 'system'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
]);

function readOptions(body: JsonObject): PromptOptions {
  const options = readObject(body, 'options') ?? {};
  const schema = readObject(body, 'format');
  return {
    tools: readObjects(body, 'tools').flatMap((tool) => {
      const declared = readObject(tool, 'function');
      const name = declared === undefined ? undefined : readString(declared, 'name');
      return name === undefined ? [] : [{ name, schema: declared?.['parameters'] }];
    }),
    ...(body['format'] === 'json' || schema !== undefined ? { json: { schema } } : {}),
    maxTokens: readCount(options, 'num_predict'),
    stop: readStrings(options, 'stop'),
    thinks: body['think'] === true || typeof body['think'] === 'string',
  };
}
