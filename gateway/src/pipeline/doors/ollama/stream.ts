/** Chunks of a chat as lines of JSON: texts as they come, calls of tools once they are whole. */
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { CallPieces } from '../call-pieces.ts';
import { firstChoice, textOf, thinkingOf } from '../chat-parts.ts';
import type { DoorStream } from '../door.ts';
import { type AnswerOptions, lastLine, lineOf, NOTHING_SAID, toCall } from './answer.ts';

const INCOMPLETE = 'The stream of the provider ended before the answer was complete';
const TOO_LONG = 'The calls of tools are longer than one answer may have';

const toLine = (value: object): string => `${JSON.stringify(value)}\n`;

export class LineStream implements DoorStream {
  readonly #options: AnswerOptions;
  readonly #calls = new CallPieces();
  #reason: string | undefined;
  #usage: JsonObject | undefined;
  #isOver = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  push(chunk: JsonObject): string {
    if (this.#isOver) return '';
    this.#usage = objectAt(chunk, 'usage') ?? this.#usage;
    const choice = firstChoice(chunk);
    this.#reason = textAt(choice, 'finish_reason') ?? this.#reason;
    const delta = objectAt(choice, 'delta');
    if (delta === undefined) return '';
    this.#calls.add(objectsAt(delta, 'tool_calls'));
    if (this.#calls.isOverfull) return this.fail(TOO_LONG);
    const said = { text: textOf(delta), thinking: thinkingOf(delta), calls: [] };
    return said.text === '' && said.thinking === '' ? '' : toLine(lineOf(this.#options, said));
  }

  end(): string {
    if (this.#isOver) return '';
    if (this.#reason === undefined) return this.fail(INCOMPLETE);
    this.#isOver = true;
    const calls = this.#calls.whole().map(toCall);
    const called = calls.length === 0 ? '' : toLine(lineOf(this.#options, { ...NOTHING_SAID, calls }));
    return called + toLine(lastLine(this.#options, { said: NOTHING_SAID, reason: this.#reason, usage: this.#usage }));
  }

  fail(message: string): string {
    this.#isOver = true;
    return toLine({ error: message });
  }
}
