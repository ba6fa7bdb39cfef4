/** Chunks of a chat as pieces of an answer of the Gemini API: texts as they come, calls of tools once they are whole. */
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { CallPieces } from '../call-pieces.ts';
import { firstChoice } from '../chat-parts.ts';
import type { DoorStream } from '../door.ts';
import { envelopeOf, saidParts, toFinishReason, toFunctionCall, toUsage } from './answer.ts';

const INCOMPLETE = 'The stream of the provider ended before the answer was complete';
const TOO_LONG = 'The calls of tools are longer than one answer may have';

/** `sse`: server-sent events. `array`: the elements of one JSON array. */
export type Framing = 'sse' | 'array';

export class GeminiStream implements DoorStream {
  readonly #framing: Framing;
  readonly #calls = new CallPieces();
  #envelope: JsonObject | undefined;
  #reason: string | undefined;
  #usage: JsonObject | undefined;
  #sent = 0;
  #isOver = false;

  constructor(framing: Framing) {
    this.#framing = framing;
  }

  push(chunk: JsonObject): string {
    if (this.#isOver) return '';
    this.#usage = objectAt(chunk, 'usage') ?? this.#usage;
    this.#envelope ??= envelopeOf(chunk);
    const choice = firstChoice(chunk);
    this.#reason = textAt(choice, 'finish_reason') ?? this.#reason;
    const delta = objectAt(choice, 'delta');
    if (delta === undefined) return '';
    this.#calls.add(objectsAt(delta, 'tool_calls'));
    if (this.#calls.isOverfull) return this.fail(TOO_LONG);
    const parts = saidParts(delta);
    return parts.length === 0 ? '' : this.#write(this.#piece(parts));
  }

  end(): string {
    if (this.#isOver) return '';
    if (this.#reason === undefined) return this.fail(INCOMPLETE);
    this.#isOver = true;
    const piece = this.#piece(this.#calls.whole().map(toFunctionCall), toFinishReason(this.#reason));
    return this.#write(withoutAbsent({ ...piece, usageMetadata: toUsage(this.#usage) })) + this.#close();
  }

  fail(message: string): string {
    this.#isOver = true;
    return this.#write({ error: { code: 500, message, status: 'INTERNAL' } }) + this.#close();
  }

  #piece(parts: readonly JsonObject[], finishReason?: string): JsonObject {
    const candidate = withoutAbsent({ content: { role: 'model', parts }, finishReason, index: 0 });
    return { candidates: [candidate], ...this.#envelope };
  }

  #write(piece: JsonObject): string {
    const json = JSON.stringify(piece);
    this.#sent += 1;
    if (this.#framing === 'sse') return `data: ${json}\n\n`;
    return `${this.#sent === 1 ? '[' : ',\n'}${json}`;
  }

  #close(): string {
    return this.#framing === 'sse' ? '' : ']';
  }
}
