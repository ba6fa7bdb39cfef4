/** A streamed chat as pieces of an answer of the Gemini API. */
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { ChatWriter, WholeChat } from '../chat-stream.ts';
import { envelopeOf, toFunctionCall, toUsage } from './answer.ts';
import { extrasOf, toFinishReason } from './candidate.ts';
import { saidParts } from './said.ts';

/** `sse`: server-sent events. `array`: the elements of one JSON array. */
export type Framing = 'sse' | 'array';

export class GeminiWriter implements ChatWriter {
  readonly #framing: Framing;
  #envelope: JsonObject | undefined;
  /** Why there is no candidate. */
  #blocked: JsonObject | undefined;
  #sent = 0;

  constructor(framing: Framing) {
    this.#framing = framing;
  }

  begin(chunk: JsonObject): string {
    this.#envelope ??= envelopeOf(chunk);
    return '';
  }

  delta(delta: JsonObject, choice: JsonObject): string {
    this.#blocked ??= objectAt(choice, 'promptFeedback');
    const parts = saidParts(delta);
    const extras = extrasOf(choice);
    return parts.length === 0 && Object.keys(extras).length === 0 ? '' : this.#write(this.#piece(parts, extras));
  }

  end({ calls, reason, usage }: WholeChat): string {
    const piece =
      this.#blocked === undefined
        ? this.#piece(calls.map(toFunctionCall), { finishReason: toFinishReason(reason) })
        : { promptFeedback: this.#blocked, ...this.#envelope };
    return this.#write(withoutAbsent({ ...piece, usageMetadata: toUsage(usage) })) + this.#close();
  }

  fail(message: string): string {
    return this.#write({ error: { code: 500, message, status: 'INTERNAL' } }) + this.#close();
  }

  #piece(parts: readonly JsonObject[], members: JsonObject): JsonObject {
    const candidate = { content: { role: 'model', parts }, ...members, index: 0 };
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
