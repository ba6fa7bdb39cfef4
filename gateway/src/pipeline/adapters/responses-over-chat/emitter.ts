/** What items of an output share while they grow. */
import type { JsonObject } from '../../../wire/contract.ts';

/** Takes an event of the stream, without its number. */
export type Emit = (type: string, members: JsonObject) => void;

export interface ItemOptions {
  readonly emit: Emit;
  readonly index: number;
  newId(prefix: string, length: number): string;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** An item of the output. It is announced when it is made, and complete once it is closed. */
export interface OutputItem {
  close(status: ItemStatus): void;
  /** As the output has it. */
  readonly value: object;
}
