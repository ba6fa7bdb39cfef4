/** Decodes streams of upstreams of the OpenAI format. */
import { isObject } from '@gatehouse/crds';
import type { Frame, JsonObject, StreamDecoder, StreamItem, Usage, WireContext } from '../contract.ts';
import { type BlockCounter, createBlockCounter } from './content-blocks.ts';
import { type OpenAiDialect, repairChoices } from './dialect.ts';
import { readErrorShape, withProviderPrefix } from './error-shapes.ts';
import { parseJsonObject } from './message.ts';
import { toUsage } from './usage.ts';

/** Envelope members: a chunk with only these and usage is not passed on. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'provider', 'choices', 'usage'],
  ...['system_fingerprint', 'service_tier', 'x_groq', 'obfuscation'],
]);

/** More choices than `n` allows; those beyond get no content blocks. */
const MAX_CHOICES = 128;

/** Decodes chat chunks: one `usage` item at the end, reasoning as block deltas in answers that are not strict. */
export function createOpenAiChatDecoder(ctx: WireContext, dialect: OpenAiDialect = {}): StreamDecoder {
  const counters = new Map<unknown, BlockCounter>();
  const addBlocks = (choice: unknown): unknown => {
    if (!isObject(choice) || !isObject(choice['delta']) || choice['delta']['content_blocks'] !== undefined) {
      return choice;
    }
    const counter = counterOf(counters, choice['index']);
    const content_blocks = counter?.next(choice['delta']) ?? [];
    return content_blocks.length === 0 ? choice : { ...choice, delta: { ...choice['delta'], content_blocks } };
  };
  return createDecoder(ctx, dialect, {
    object: 'chat.completion.chunk',
    finish: (choices) => (ctx.strict ? choices : choices.map(addBlocks)),
  });
}

function counterOf(counters: Map<unknown, BlockCounter>, index: unknown): BlockCounter | undefined {
  const known = counters.get(index);
  if (known !== undefined || counters.size >= MAX_CHOICES) return known;
  const counter = createBlockCounter();
  counters.set(index, counter);
  return counter;
}

/** Decodes text completion chunks. */
export function createOpenAiCompletionDecoder(ctx: WireContext, dialect: OpenAiDialect = {}): StreamDecoder {
  return createDecoder(ctx, dialect, { object: 'text_completion', finish: (choices) => choices });
}

interface Kind {
  readonly object: string;
  finish(choices: readonly unknown[]): readonly unknown[];
}

function createDecoder(ctx: WireContext, dialect: OpenAiDialect, kind: Kind): StreamDecoder {
  // Some upstreams send no id: one is generated and kept for the whole stream.
  const fallbackId = `${ctx.provider}-${ctx.now()}`;
  let usage: Usage | undefined;
  let over = false;

  const finish = (last: readonly StreamItem[] = []): readonly StreamItem[] => {
    if (over) return [];
    over = true;
    return usage === undefined ? last : [{ kind: 'usage', usage }, ...last];
  };

  const toItems = (chunk: JsonObject): readonly StreamItem[] => {
    const repaired = dialect.body?.(chunk, ctx) ?? chunk;
    const counted = usageOf(repaired);
    if (counted !== undefined) usage = toUsage(dialect.usage?.(counted) ?? counted) ?? usage;
    const rest = withoutUsage(repaired);
    const choices = Array.isArray(rest['choices']) ? rest['choices'] : [];
    if (choices.length === 0 && Object.keys(rest).every((key) => ENVELOPE.has(key))) return [];
    const data = {
      ...rest,
      id: rest['id'] ?? fallbackId,
      object: rest['object'] ?? kind.object,
      created: rest['created'] ?? Math.floor(ctx.now() / 1000),
      model: rest['model'] ?? ctx.model,
      choices: kind.finish(repairChoices(choices, 'delta', dialect, ctx)),
      provider: ctx.provider,
    };
    return [{ kind: 'chunk', data }];
  };

  return {
    push(frame) {
      if (over || frame.event === 'ping') return [];
      if (frame.data.trim() === '[DONE]') return finish();
      const body = parseJsonObject(frame.data);
      const error = readError(frame, body);
      if (error !== undefined) return finish([{ kind: 'error', error: withProviderPrefix(ctx.provider, error) }]);
      return body === undefined ? [] : toItems(body);
    },
    end: () => finish(),
  };
}

function readError(frame: Frame, body: JsonObject | undefined): ReturnType<typeof readErrorShape> {
  if (body === undefined) {
    return frame.event === 'error' ? { message: frame.data, type: null, param: null, code: null } : undefined;
  }
  const declared = frame.event === 'error' || isObject(body['error']) || typeof body['error'] === 'string';
  if (!declared && (Array.isArray(body['choices']) || body['usage'] !== undefined)) return undefined;
  return readErrorShape(body);
}

/** At the root, where groq puts it, or where moonshot puts it. */
function usageOf(chunk: JsonObject): JsonObject | undefined {
  const groq = chunk['x_groq'];
  const choices = chunk['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const places = [
    chunk['usage'],
    isObject(groq) ? groq['usage'] : undefined,
    isObject(first) ? first['usage'] : undefined,
  ];
  return places.find(isObject);
}

/** The chunk without usage in any of its places; usage is emitted once, at the end. */
function withoutUsage(chunk: JsonObject): JsonObject {
  const { usage: _, x_groq, choices, ...rest } = chunk;
  return {
    ...rest,
    ...(x_groq === undefined ? {} : { x_groq: isObject(x_groq) ? omitUsage(x_groq) : x_groq }),
    ...(choices === undefined ? {} : { choices: Array.isArray(choices) ? choices.map(choiceWithoutUsage) : [] }),
  };
}

const choiceWithoutUsage = (choice: unknown): unknown => (isObject(choice) ? omitUsage(choice) : choice);

function omitUsage(object: JsonObject): JsonObject {
  if (!('usage' in object)) return object;
  const { usage: _, ...rest } = object;
  return rest;
}
