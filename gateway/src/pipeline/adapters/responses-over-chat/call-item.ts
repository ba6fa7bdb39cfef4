import { ID_CHARS } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { ItemOptions, ItemStatus, OutputItem } from './emitter.ts';
import type { ToolName } from './tool-names.ts';
import { readCustomInput } from './tools.ts';

export interface CallNames extends ToolName {
  readonly callId: string;
}

/** A call of a function: its arguments arrive piece by piece. */
export class FunctionCallItem implements OutputItem {
  readonly #names: CallNames;
  readonly #id: string;
  readonly #options: ItemOptions;
  #text = '';
  #status: ItemStatus = 'in_progress';

  constructor(options: ItemOptions, names: CallNames) {
    this.#options = options;
    this.#names = names;
    this.#id = options.newId('fc_', ID_CHARS);
    options.emit('response.output_item.added', { output_index: options.index, item: this.value });
  }

  addArguments(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#emit('response.function_call_arguments.delta', { delta: text });
  }

  /** A call without arguments has an object without members: clients parse it. */
  close(status: ItemStatus): void {
    if (this.#text === '') this.addArguments('{}');
    this.#status = status;
    this.#emit('response.function_call_arguments.done', { name: this.#names.name, arguments: this.#text });
    this.#options.emit('response.output_item.done', { output_index: this.#options.index, item: this.value });
  }

  get value(): object {
    const { callId, ...tool } = this.#names;
    const text = this.#status === 'in_progress' ? '' : this.#text;
    const call = { call_id: callId, ...tool, arguments: text };
    return { id: this.#id, type: 'function_call', status: this.#status, ...call };
  }

  #emit(type: string, members: JsonObject): void {
    this.#options.emit(type, { item_id: this.#id, output_index: this.#options.index, ...members });
  }
}

/** A call of a tool that takes a text: it is known when the arguments of its function are. */
export class CustomCallItem implements OutputItem {
  readonly #names: CallNames;
  readonly #id: string;
  readonly #options: ItemOptions;
  #text = '';
  #input = '';
  #status: ItemStatus = 'in_progress';

  constructor(options: ItemOptions, names: CallNames) {
    this.#options = options;
    this.#names = names;
    this.#id = options.newId('ctc_', ID_CHARS);
    options.emit('response.output_item.added', { output_index: options.index, item: this.value });
  }

  addArguments(text: string): void {
    this.#text += text;
  }

  close(status: ItemStatus): void {
    this.#input = readCustomInput(this.#text);
    this.#status = status;
    const place = { item_id: this.#id, output_index: this.#options.index };
    if (this.#input !== '') {
      this.#options.emit('response.custom_tool_call_input.delta', { ...place, delta: this.#input });
    }
    this.#options.emit('response.custom_tool_call_input.done', { ...place, input: this.#input });
    this.#options.emit('response.output_item.done', { output_index: this.#options.index, item: this.value });
  }

  get value(): object {
    const { callId, ...tool } = this.#names;
    const call = { call_id: callId, ...tool, input: this.#input };
    return { id: this.#id, type: 'custom_tool_call', status: this.#status, ...call };
  }
}
