/** The output of a response while it grows: items are opened when something is said for them, and each is closed once. */
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { type CallNames, CustomCallItem, FunctionCallItem } from './call-item.ts';
import type { Emit, ItemOptions, ItemStatus, OutputItem } from './emitter.ts';
import { MessageItem } from './message-item.ts';
import { ReasoningItem } from './reasoning-item.ts';
import type { ClientTools } from './tools.ts';

/** Counted for each item, part and annotation beside its text, in characters: events repeat them. */
const ITEM_CHARS = 512;
/** Log probabilities may be a hundred times as long as their text; beyond this they are on its pieces alone. Units: characters. */
const MAX_LOGPROB_CHARS = 1024 * 1024;

export interface OutputOptions {
  readonly emit: Emit;
  readonly keepsThoughts: boolean;
  readonly clientTools: ClientTools;
  newId(prefix: string, length: number): string;
}

/** Types of blocks that are thinking; the blocks of streams have none. */
const THOUGHTS: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

/** A call whose name may still have to come. */
interface PendingCall {
  callId: string;
  /** Pieces of the arguments that came before the name. */
  early: string;
  item: FunctionCallItem | CustomCallItem | undefined;
}

export class Output {
  readonly #options: OutputOptions;
  readonly #items: OutputItem[] = [];
  readonly #calls: PendingCall[] = [];
  /** The last call at each index of the provider. */
  readonly #callAt = new Map<number, PendingCall>();
  #message: MessageItem | undefined;
  #thought: { readonly block: number; readonly item: ReasoningItem } | undefined;
  #chars = 0;
  #logprobChars = 0;
  #hasAnswer = false;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  /** About as many characters as are held. */
  get chars(): number {
    return this.#chars;
  }

  get values(): readonly object[] {
    return this.#items.map(({ value }) => value);
  }

  /** A message or delta of the chat format. `logprobs`: of its choice. */
  add(message: JsonObject, logprobs: unknown): void {
    for (const block of objectsAt(message, 'content_blocks')) this.#addBlock(block);
    const text = textAt(message, 'content') ?? '';
    if (text !== '') this.#addText(text, logprobs);
    for (const annotation of objectsAt(message, 'annotations')) this.#addAnnotation(annotation);
    const refusal = textAt(message, 'refusal') ?? '';
    if (refusal !== '') this.#addRefusal(refusal);
    for (const [place, call] of objectsAt(message, 'tool_calls').entries()) this.#addCall(call, place);
  }

  close(status: ItemStatus): void {
    this.#closeThought();
    if (!this.#hasAnswer && this.#calls.length === 0 && status === 'completed') {
      this.#messageItem().addText('', [], true); // clients expect something to be said
    }
    this.#closeMessage(status);
    for (const call of this.#calls) {
      const item = call.item ?? this.#openCall(call, '');
      item.close(status);
    }
  }

  /** Blocks of streams have their content in `delta`. */
  #addBlock(block: JsonObject): void {
    const content = objectAt(block, 'delta') ?? block;
    const type = textAt(content, 'type') ?? '';
    if (type !== '' && !THOUGHTS.has(type)) return;
    const thinking = textAt(content, 'thinking') ?? '';
    const signature = textAt(content, 'signature') ?? '';
    const redacted = textAt(content, 'data') ?? '';
    const isSealed = signature !== '' || redacted !== '';
    if (thinking === '' && !(isSealed && this.#options.keepsThoughts)) return;
    const item = this.#thoughtItem(block);
    item.addText(thinking);
    item.addSeal({ signature, redacted });
    this.#chars += thinking.length + signature.length + redacted.length;
  }

  #thoughtItem(block: JsonObject): ReasoningItem {
    const index = numberAt(block, 'index') ?? -1;
    if (this.#thought !== undefined && this.#thought.block === index && index >= 0) return this.#thought.item;
    this.#closeThought();
    this.#closeMessage('completed');
    const item = this.#open((options) => new ReasoningItem(options, this.#options.keepsThoughts));
    this.#thought = { block: index, item };
    return item;
  }

  #addText(text: string, logprobs: unknown): void {
    const entries = objectsAt({ logprobs: objectAt({ logprobs }, 'logprobs')?.['content'] }, 'logprobs');
    if (entries.length > 0) this.#logprobChars += JSON.stringify(entries).length;
    this.#chars += text.length;
    this.#messageItem().addText(text, entries, this.#logprobChars <= MAX_LOGPROB_CHARS);
  }

  #addRefusal(text: string): void {
    this.#chars += text.length + ITEM_CHARS;
    this.#messageItem().addRefusal(text);
  }

  /** Source: OpenAI chat completions, annotations. */
  #addAnnotation(annotation: JsonObject): void {
    const citation = objectAt(annotation, 'url_citation');
    if (citation === undefined) return;
    this.#chars += ITEM_CHARS + JSON.stringify(citation).length;
    this.#messageItem().addAnnotation({ ...citation, type: 'url_citation' });
  }

  #messageItem(): MessageItem {
    this.#closeThought();
    this.#hasAnswer = true;
    this.#message ??= this.#open((options) => new MessageItem(options));
    return this.#message;
  }

  /** `place`: among the calls of the delta, for providers that send no index. */
  #addCall(delta: JsonObject, place: number): void {
    const called = objectAt(delta, 'function');
    const name = textAt(called, 'name') ?? '';
    const call = this.#callOf(delta, { index: numberAt(delta, 'index') ?? place, name });
    const text = argumentsOf(called?.['arguments']);
    this.#chars += text.length;
    if (call.item === undefined && name === '') call.early += text;
    else (call.item ?? this.#openCall(call, name)).addArguments(text);
  }

  /** Another id at the same index is another call: some providers number none. */
  #callOf(delta: JsonObject, { index, name }: { index: number; name: string }): PendingCall {
    const id = textAt(delta, 'id') ?? '';
    const known = this.#callAt.get(index);
    const isOther = known !== undefined && id !== '' && name !== '' && known.callId !== '' && known.callId !== id;
    if (known !== undefined && !isOther) {
      if (known.item === undefined && known.callId === '') known.callId = id;
      return known;
    }
    const call: PendingCall = { callId: id, early: '', item: undefined };
    this.#calls.push(call);
    this.#callAt.set(index, call);
    this.#chars += ITEM_CHARS + id.length + name.length;
    return call;
  }

  #openCall(call: PendingCall, name: string): FunctionCallItem | CustomCallItem {
    this.#closeThought();
    this.#closeMessage('completed');
    const { newId, clientTools } = this.#options;
    const { takesText, ...tool } = clientTools.get(name) ?? { name, takesText: false };
    const names: CallNames = { callId: call.callId === '' ? newId('call_', 24) : call.callId, ...tool };
    const item = this.#open((options) =>
      takesText ? new CustomCallItem(options, names) : new FunctionCallItem(options, names),
    );
    item.addArguments(call.early);
    call.early = '';
    call.item = item;
    return item;
  }

  #open<T extends OutputItem>(make: (options: ItemOptions) => T): T {
    const { emit, newId } = this.#options;
    this.#chars += ITEM_CHARS;
    const item = make({ emit, newId, index: this.#items.length });
    this.#items.push(item);
    return item;
  }

  #closeThought(): void {
    this.#thought?.item.close();
    this.#thought = undefined;
  }

  #closeMessage(status: ItemStatus): void {
    this.#message?.close(status);
    this.#message = undefined;
  }
}

/** JSON text; some providers send the object itself. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
