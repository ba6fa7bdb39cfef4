/** The stream of a chat for the client of a door: texts as they come, calls of tools once they are whole. */
import type { JsonObject } from '../../wire/contract.ts';
import { objectAt, objectsAt, textAt } from '../../wire/json/json.ts';
import { CallPieces } from './call-pieces.ts';
import { firstChoice } from './chat-parts.ts';
import type { DoorStream } from './door.ts';

/** What a chat has said when its stream ends. */
export interface WholeChat {
  readonly calls: readonly JsonObject[];
  readonly reason: string;
  readonly usage: JsonObject | undefined;
}

/** How a door writes it. One per stream. */
export interface ChatWriter {
  /** Of each chunk, before its delta. */
  begin?(chunk: JsonObject): string;
  /** What is said in a delta; its calls of tools come at the end. */
  delta(delta: JsonObject, choice: JsonObject): string;
  end(chat: WholeChat): string;
  /** Nothing follows. */
  fail(message: string): string;
}

const INCOMPLETE = 'The stream of the provider ended before the answer was complete';
const TOO_LONG = 'The calls of tools are longer than one answer may have';

export class ChatStream implements DoorStream {
  readonly #writer: ChatWriter;
  readonly #calls = new CallPieces();
  #reason: string | undefined;
  #usage: JsonObject | undefined;
  #isOver = false;

  constructor(writer: ChatWriter) {
    this.#writer = writer;
  }

  push(chunk: JsonObject): string {
    if (this.#isOver) return '';
    this.#usage = objectAt(chunk, 'usage') ?? this.#usage;
    const start = this.#writer.begin?.(chunk) ?? '';
    const choice = firstChoice(chunk);
    this.#reason = textAt(choice, 'finish_reason') ?? this.#reason;
    const delta = objectAt(choice, 'delta');
    if (choice === undefined || delta === undefined) return start;
    this.#calls.add(objectsAt(delta, 'tool_calls'));
    return start + (this.#calls.isOverfull ? this.fail(TOO_LONG) : this.#writer.delta(delta, choice));
  }

  end(): string {
    if (this.#isOver) return '';
    if (this.#reason === undefined) return this.fail(INCOMPLETE);
    this.#isOver = true;
    return this.#writer.end({ calls: this.#calls.whole(), reason: this.#reason, usage: this.#usage });
  }

  fail(message: string): string {
    this.#isOver = true;
    return this.#writer.fail(message);
  }
}
