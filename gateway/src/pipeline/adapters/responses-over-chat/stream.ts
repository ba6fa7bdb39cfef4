/** The events of a response, made of chunks of a chat; docs/behaviour/responses.md#streams. */
import { isObject } from '@gatehouse/crds';
import type { ErrorFields, JsonObject, StreamItem, Usage } from '../../../wire/contract.ts';
import { objectAt, textAt } from '../../../wire/json/json.ts';
import { INCOMPLETE_STREAM } from '../../../wire/openai/index.ts';
import type { AdapterContext, StreamAdapter } from '../adapter.ts';
import { createEnvelope, endOf, namesOf, type ResponseNames } from './envelope.ts';
import { Output } from './output.ts';
import type { ChatRequest } from './request.ts';

/** The last event repeats the whole output: streams that grow beyond this end in an error. Units: characters, about. */
export const MAX_OUTPUT_CHARS = 2 * 1024 * 1024;

export interface ResponseOptions {
  /** Of the client. */
  readonly params: JsonObject;
  readonly request: Pick<ChatRequest, 'clientTools' | 'keepsThoughts'>;
  readonly context: AdapterContext;
  readonly maxChars: number;
}

export class ResponseStream implements StreamAdapter {
  readonly #options: ResponseOptions;
  readonly #envelope: ReturnType<typeof createEnvelope>;
  readonly #output: Output;
  #events: StreamItem[] = [];
  #sequence = 0;
  #names: ResponseNames | undefined;
  #usage: Usage | undefined;
  #finishReason: string | undefined;
  #isOver = false;

  constructor(options: ResponseOptions) {
    const { params, request, context } = options;
    this.#options = options;
    this.#envelope = createEnvelope(params);
    this.#output = new Output({
      emit: (type, members) => this.#emit(type, members),
      newId: (prefix, length) => context.newId(prefix, length),
      clientTools: request.clientTools,
      keepsThoughts: request.keepsThoughts,
    });
  }

  push(item: StreamItem): readonly StreamItem[] {
    if (item.kind === 'usage') this.#usage = item.usage;
    if (item.kind === 'error') this.#isOver = true;
    if (item.kind !== 'chunk') return [item];
    if (this.#isOver) return [];
    this.#read(item.data as JsonObject); // the endpoint's decoder wrote it
    if (this.#output.chars <= this.#options.maxChars) return this.#taken();
    this.#isOver = true;
    return [...this.#taken(), tooLong(this.#options.maxChars)];
  }

  end(): readonly StreamItem[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    if (this.#names === undefined || this.#finishReason === undefined) return [INCOMPLETE_STREAM];
    const { status, reason } = endOf(this.#finishReason);
    this.#output.close(status);
    const response = this.#envelope(this.#names, {
      status,
      reason,
      completedAt: status === 'completed' ? Math.floor(this.#options.context.now() / 1000) : undefined,
      output: this.#output.values,
      usage: this.#usage,
    });
    this.#emit(`response.${status}`, { response });
    return this.#taken();
  }

  partial(): JsonObject | undefined {
    if (this.#names === undefined) return undefined;
    this.#output.close('incomplete');
    const { values: output } = this.#output;
    return this.#envelope(this.#names, { status: 'failed', output, usage: this.#usage });
  }

  /** Only the first choice is read: a response has one. */
  #read(chunk: JsonObject): void {
    this.#begin(chunk);
    const choices: unknown = chunk['choices'];
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (!isObject(choice) || (choice['index'] ?? 0) !== 0) return;
    this.#output.add(objectAt(choice, 'delta') ?? {}, choice['logprobs']);
    this.#finishReason = textAt(choice, 'finish_reason') ?? this.#finishReason;
  }

  #begin(chunk: JsonObject): void {
    if (this.#names !== undefined) return;
    this.#names = namesOf(chunk, this.#options.context);
    const response = this.#envelope(this.#names, { status: 'in_progress', output: [] });
    this.#emit('response.created', { response });
    this.#emit('response.in_progress', { response });
  }

  #emit(type: string, members: JsonObject): void {
    const data = { type, sequence_number: this.#sequence, ...members };
    this.#sequence += 1;
    this.#events.push({ kind: 'chunk', event: type, data });
  }

  #taken(): readonly StreamItem[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

function tooLong(maxChars: number): StreamItem {
  const error: ErrorFields = {
    message: `The answer is longer than ${maxChars} characters, which a response over a chat completion may have`,
    type: 'stream_error',
    param: null,
    code: null,
  };
  return { kind: 'error', error };
}
