/** One content block of a message that is streamed. */
import type { JsonObject } from '../../../wire/contract.ts';
import { JsonEnd } from './json-end.ts';

export interface Block {
  /** Pieces with the same key belong together. */
  readonly key: string;
  /** Whether it can be begun: the name of a tool may come later than its id. */
  readonly isReady: boolean;
  /** Whether another block may follow. */
  readonly isWhole: boolean;
  /** `content_block` of its first event. */
  begin(): JsonObject;
}

export const textBlock = (): Block => ({
  key: 'text',
  isReady: true,
  isWhole: true,
  begin: () => ({ type: 'text', text: '' }),
});

export const thinkingBlock = (key: string): Block => ({
  key,
  isReady: true,
  isWhole: true,
  begin: () => ({ type: 'thinking', thinking: '', signature: '' }),
});

export const redactedBlock = (key: string, data: string): Block => ({
  key,
  isReady: true,
  isWhole: true,
  begin: () => ({ type: 'redacted_thinking', data }),
});

export class ToolBlock implements Block {
  readonly key: string;
  readonly id: string;
  readonly #end = new JsonEnd();
  #name = '';

  constructor(key: string, id: string) {
    this.key = key;
    this.id = id;
  }

  get isReady(): boolean {
    return this.#name !== '';
  }

  get isWhole(): boolean {
    return this.#end.reached;
  }

  name(name: string): void {
    if (this.#name === '') this.#name = name;
  }

  addInput(json: string): void {
    this.#end.push(json);
  }

  begin(): JsonObject {
    return { type: 'tool_use', id: this.id, name: this.#name, input: {} };
  }
}
