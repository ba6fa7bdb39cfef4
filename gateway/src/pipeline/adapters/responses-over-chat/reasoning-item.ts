import { ID_CHARS } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { ItemOptions, OutputItem } from './emitter.ts';
import { type Seal, sealOf } from './thoughts.ts';

/** What a model thought, as the summary of an item. */
export class ReasoningItem implements OutputItem {
  readonly #id: string;
  readonly #options: ItemOptions;
  readonly #keepsThoughts: boolean;
  #text = '';
  #signature = '';
  #redacted = '';
  #isClosed = false;

  constructor(options: ItemOptions, keepsThoughts: boolean) {
    this.#options = options;
    this.#keepsThoughts = keepsThoughts;
    this.#id = options.newId('rs_', ID_CHARS);
    options.emit('response.output_item.added', { output_index: options.index, item: this.value });
  }

  addText(text: string): void {
    if (text === '') return;
    if (this.#text === '') this.#emit('response.reasoning_summary_part.added', { part: summaryPart('') });
    this.#text += text;
    this.#emit('response.reasoning_summary_text.delta', { delta: text });
  }

  addSeal({ signature, redacted }: Seal): void {
    this.#signature += signature;
    this.#redacted += redacted;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#text !== '') {
      this.#emit('response.reasoning_summary_text.done', { text: this.#text });
      this.#emit('response.reasoning_summary_part.done', { part: summaryPart(this.#text) });
    }
    this.#options.emit('response.output_item.done', { output_index: this.#options.index, item: this.value });
  }

  get value(): object {
    const seal = this.#keepsThoughts && this.#isClosed ? this.#seal : undefined;
    return {
      id: this.#id,
      type: 'reasoning',
      summary: this.#isClosed && this.#text !== '' ? [summaryPart(this.#text)] : [],
      ...(seal === undefined ? {} : { encrypted_content: seal }),
    };
  }

  get #seal(): string | undefined {
    return sealOf({ signature: this.#signature, redacted: this.#redacted });
  }

  #emit(type: string, members: JsonObject): void {
    this.#options.emit(type, { item_id: this.#id, output_index: this.#options.index, summary_index: 0, ...members });
  }
}

const summaryPart = (text: string): object => ({ type: 'summary_text', text });
