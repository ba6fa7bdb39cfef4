/** Chunks of a chat as the events of Cohere's chat: texts as they come, calls of tools once they are whole. */
import { newId } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { CallPieces } from '../call-pieces.ts';
import { firstChoice, textOf, thinkingOf } from '../chat-parts.ts';
import type { DoorStream } from '../door.ts';
import { answerId, toReason, toUsage } from './answer.ts';

const INCOMPLETE = 'The stream of the provider ended before the answer was complete';
const TOO_LONG = 'The calls of tools are longer than one answer may have';
const ID_CHARS = 24;

type Kind = 'text' | 'thinking';

const toEvent = (type: string, members: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const inMessage = (message: JsonObject): JsonObject => ({ delta: { message } });

export class CohereStream implements DoorStream {
  readonly #calls = new CallPieces();
  /** The content that is open. */
  #open: Kind | undefined;
  #index = 0;
  #hasBegun = false;
  #reason: string | undefined;
  #usage: JsonObject | undefined;
  #isOver = false;

  push(chunk: JsonObject): string {
    if (this.#isOver) return '';
    this.#usage = objectAt(chunk, 'usage') ?? this.#usage;
    const start = this.#begin(chunk);
    const choice = firstChoice(chunk);
    this.#reason = textAt(choice, 'finish_reason') ?? this.#reason;
    const delta = objectAt(choice, 'delta');
    if (delta === undefined) return start;
    this.#calls.add(objectsAt(delta, 'tool_calls'));
    if (this.#calls.isOverfull) return start + this.fail(TOO_LONG);
    return start + this.#say('thinking', thinkingOf(delta)) + this.#say('text', textOf(delta));
  }

  end(): string {
    if (this.#isOver) return '';
    if (this.#reason === undefined) return this.fail(INCOMPLETE);
    this.#isOver = true;
    const calls = this.#calls.whole();
    const usage = toUsage(this.#usage);
    const finish_reason = toReason(this.#reason, calls.length > 0);
    const last = toEvent('message-end', { delta: { finish_reason, ...(usage === undefined ? {} : { usage }) } });
    return this.#close() + calls.map(toCallEvents).join('') + last;
  }

  fail(message: string): string {
    this.#isOver = true;
    return this.#close() + toEvent('message-end', { delta: { finish_reason: 'ERROR', error: message } });
  }

  #begin(chunk: JsonObject): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
    return toEvent('message-start', { id: answerId(chunk), ...inMessage(message) });
  }

  #say(kind: Kind, said: string): string {
    if (said === '') return '';
    const start = this.#open === kind ? '' : this.#close() + this.#start(kind);
    return start + toEvent('content-delta', { index: this.#index, ...inMessage({ content: { [kind]: said } }) });
  }

  #start(kind: Kind): string {
    this.#open = kind;
    return toEvent('content-start', { index: this.#index, ...inMessage({ content: { type: kind, [kind]: '' } }) });
  }

  #close(): string {
    if (this.#open === undefined) return '';
    this.#open = undefined;
    const event = toEvent('content-end', { index: this.#index });
    this.#index += 1;
    return event;
  }
}

function toCallEvents(call: JsonObject, index: number): string {
  const called = objectAt(call, 'function');
  const id = textAt(call, 'id') || newId('call_', ID_CHARS);
  const start = { id, type: 'function', function: { name: textAt(called, 'name') ?? '', arguments: '' } };
  const rest = { function: { arguments: textAt(called, 'arguments') || '{}' } };
  return (
    toEvent('tool-call-start', { index, ...inMessage({ tool_calls: start }) }) +
    toEvent('tool-call-delta', { index, ...inMessage({ tool_calls: rest }) }) +
    toEvent('tool-call-end', { index })
  );
}
