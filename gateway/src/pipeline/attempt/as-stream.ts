/** Whole answers to calls for a stream: some providers have none; docs/behaviour/streams.md#what-is-a-stream. */
import { isObject } from '@gatehouse/crds';
import { replayAsStream } from '../../cache/index.ts';
import { memoryExhausted } from '../../errors/index.ts';
import type { HookResult } from '../../guardrails/index.ts';
import { resultsEvent, type StreamedResults, type TextProtocol } from '../../guardrails/stream/index.ts';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import { countWhole } from '../../record/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { wantsUsageChunk } from '../../wire/openai/index.ts';
import { bytesOf, type CacheWriter } from '../exchange.ts';
import type { MappedAnswer } from './map/index.ts';
import type { Prepared } from './prepare/index.ts';

/** An answer as its client gets it, and what may be stored in its place. */
export interface WholeAnswer {
  readonly answer: MappedAnswer;
  readonly stored: Buffer | undefined;
}

/** The member that every answer of the format has, which is a list. */
const CONTENT: Readonly<Record<TextProtocol, string>> = {
  chat: 'choices',
  completion: 'choices',
  messages: 'content',
  responses: 'output',
};

/** The answer as the events that the client expects; anything but an answer of its format stays as it is. Throws MEMORY_EXHAUSTED. */
export function asStream(prepared: Prepared, whole: WholeAnswer, json: JsonLimits): WholeAnswer {
  const { operation, call, params, strict, input } = prepared;
  const { answer } = whole;
  const { streamFormat: format } = operation;
  if (!call.stream || format === 'events' || answer.body.kind !== 'bytes' || !isGood(answer.status)) return whole;
  const { bytes } = answer.body;
  const value = parsed(bytes, json);
  if (value === undefined || !Array.isArray(value[CONTENT[format]])) return whole;
  const events = replayAsStream(format, value, { includeUsage: wantsUsageChunk(params) });
  const sent = Buffer.from((strict ? events : withResults(format, events, value['hook_results'])).join(''));
  if (!input.exchange.memory.take(sent.length)) throw memoryExhausted();
  const { 'content-length': _, ...headers } = answer.headers;
  return {
    answer: {
      ...answer,
      headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
      body: { kind: 'bytes', bytes: sent },
      stream: true,
      counted: answer.counted ?? countWhole(operation, bytesOf(input.resolution.body) ?? 0, { kind: 'bytes', bytes }),
    },
    stored: whole.stored ?? bytes,
  };
}

/** Stores what stands for the answer, not the events that were made of it. */
export function storing(writer: CacheWriter | undefined, { stored }: WholeAnswer): CacheWriter | undefined {
  if (writer === undefined || stored === undefined) return writer;
  return {
    push: () => undefined,
    commit: () => {
      writer.push(stored);
      writer.commit();
    },
  };
}

const isGood = (status: number): boolean => status >= 200 && status <= 299;

function parsed(bytes: Buffer, json: JsonLimits): JsonObject | undefined {
  try {
    const value = readJson(bytes, json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the client gets it as the provider wrote it
  }
}

/** As streams have them: those of the request first, but behind the event that begins a response. */
function withResults(format: TextProtocol, events: readonly string[], results: unknown): readonly string[] {
  if (!isObject(results)) return events;
  const { before_request_hooks: before, after_request_hooks: after } = results;
  const first = isAny(before) ? { before_request_hooks: before } : {};
  const last = { ...(format === 'responses' ? first : {}), ...(isAny(after) ? { after_request_hooks: after } : {}) };
  const eventOf = (shown: StreamedResults): readonly string[] =>
    Object.keys(shown).length === 0 ? [] : [resultsEvent(format, shown).toString()];
  return [...eventOf(format === 'responses' ? {} : first), ...events, ...eventOf(last)];
}

const isAny = (results: unknown): results is readonly HookResult[] => Array.isArray(results) && results.length > 0;
