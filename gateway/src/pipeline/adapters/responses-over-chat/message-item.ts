import { ID_CHARS } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { ItemOptions, ItemStatus, OutputItem } from './emitter.ts';

type PartKind = 'output_text' | 'refusal';

interface Part {
  readonly kind: PartKind;
  text: string;
  readonly annotations: JsonObject[];
  readonly logprobs: JsonObject[];
}

/** What a model says: texts and refusals, one after the other. */
export class MessageItem implements OutputItem {
  readonly #id: string;
  readonly #options: ItemOptions;
  readonly #parts: Part[] = [];
  #status: ItemStatus = 'in_progress';

  constructor(options: ItemOptions) {
    this.#options = options;
    this.#id = options.newId('msg_', ID_CHARS);
    options.emit('response.output_item.added', { output_index: options.index, item: this.value });
  }

  /** `repeats`: whether the log probabilities are told again with the whole text. */
  addText(text: string, logprobs: readonly JsonObject[], repeats: boolean): void {
    const part = this.#partOf('output_text');
    part.text += text;
    if (!repeats) part.logprobs.length = 0;
    else for (const entry of logprobs) part.logprobs.push(entry);
    if (text !== '') this.#emit('response.output_text.delta', { delta: text, logprobs });
  }

  addRefusal(text: string): void {
    this.#partOf('refusal').text += text;
    this.#emit('response.refusal.delta', { delta: text });
  }

  addAnnotation(annotation: JsonObject): void {
    const { annotations } = this.#partOf('output_text');
    annotations.push(annotation);
    const annotation_index = annotations.length - 1;
    this.#emit('response.output_text.annotation.added', { annotation_index, annotation });
  }

  close(status: ItemStatus): void {
    this.#closePart();
    this.#status = status;
    this.#options.emit('response.output_item.done', { output_index: this.#options.index, item: this.value });
  }

  get value(): object {
    const content = this.#status === 'in_progress' ? [] : this.#parts.map(shownPart);
    return { id: this.#id, type: 'message', status: this.#status, role: 'assistant', content };
  }

  #partOf(kind: PartKind): Part {
    const last = this.#parts.at(-1);
    if (last?.kind === kind) return last;
    this.#closePart();
    const part: Part = { kind, text: '', annotations: [], logprobs: [] };
    this.#parts.push(part);
    this.#emit('response.content_part.added', { part: shownPart(part) });
    return part;
  }

  #closePart(): void {
    const part = this.#parts.at(-1);
    if (part === undefined) return;
    const { kind, text, logprobs } = part;
    if (kind === 'refusal') this.#emit('response.refusal.done', { refusal: text });
    else this.#emit('response.output_text.done', { text, logprobs });
    this.#emit('response.content_part.done', { part: shownPart(part) });
  }

  #emit(type: string, members: JsonObject): void {
    const content_index = this.#parts.length - 1;
    this.#options.emit(type, { item_id: this.#id, output_index: this.#options.index, content_index, ...members });
  }
}

/** A copy of what may go on to grow. */
function shownPart({ kind, text, annotations, logprobs }: Part): object {
  if (kind === 'refusal') return { type: kind, refusal: text };
  return { type: kind, text, annotations: [...annotations], logprobs: [...logprobs] };
}
