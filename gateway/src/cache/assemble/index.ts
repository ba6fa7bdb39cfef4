import { createSseReader } from '../../wire/framing/sse.ts';
import type { StreamProtocol } from '../protocol.ts';
import type { AnswerBuilder } from './builder.ts';
import { createChatBuilder, createCompletionBuilder } from './chunks.ts';
import type { CharacterBudget } from './draft.ts';
import { createMessagesBuilder } from './messages.ts';
import { createResponsesBuilder } from './responses.ts';

/** Rebuilds the full answer from the bytes of the client's stream; one per stream. Never throws. */
export interface Assembler {
  push(chunk: Uint8Array): void;
  /** Undefined when the stream was incomplete, ended in an error, or exceeded the limit. */
  finish(): object | undefined;
  /** Of a stream that is not whole, what came before it was cut; undefined: nothing is kept of it. */
  soFar(): object | undefined;
}

const BUILDERS: Readonly<Record<StreamProtocol, (budget: CharacterBudget) => AnswerBuilder>> = {
  chat: createChatBuilder,
  completion: createCompletionBuilder,
  messages: createMessagesBuilder,
  responses: createResponsesBuilder,
};

/** Bytes that wait until they are read together: events by the dozen cost less than one by one. */
const BATCH_BYTES = 8 * 1024;

export interface AssemblerOptions {
  /** What has come is kept where the whole cannot be rebuilt. */
  readonly keepsPart?: boolean;
}

/** `maxBytes` bounds the text that is kept, in characters. */
export function createAssembler(
  protocol: StreamProtocol,
  maxBytes: number,
  { keepsPart = false }: AssemblerOptions = {},
): Assembler {
  const reader = createSseReader();
  const budget: CharacterBudget = { left: maxBytes };
  let builder: AnswerBuilder | undefined = BUILDERS[protocol](budget);
  const part = keepsPart ? builder : undefined;

  const read = (cut: () => ReturnType<typeof reader.push>): void => {
    try {
      for (const frame of cut()) {
        if (builder?.take(frame) !== true || budget.left < 0) builder = undefined;
      }
    } catch {
      builder = undefined; // bytes that are no event stream
    }
  };

  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const readWaiting = (): void => {
    const [first, ...others] = waiting;
    waiting = [];
    waitingBytes = 0;
    if (first === undefined) return;
    read(() => reader.push(others.length === 0 ? first : Buffer.concat([first, ...others])));
  };

  return {
    push: (chunk) => {
      if (builder === undefined) return;
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= BATCH_BYTES) readWaiting();
    },
    finish: () => {
      if (builder !== undefined) readWaiting();
      if (builder !== undefined) read(() => reader.end());
      return builder?.finish();
    },
    soFar: () => {
      if (builder !== undefined) readWaiting();
      return part?.soFar();
    },
  };
}
