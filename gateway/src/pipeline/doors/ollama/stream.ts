/** A streamed chat as lines of JSON. */
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt } from '../../../wire/json/json.ts';
import { textOf, thinkingOf } from '../chat-parts.ts';
import type { ChatWriter, WholeChat } from '../chat-stream.ts';
import { type AnswerOptions, lastLine, lineOf, logprobsOf, NOTHING_SAID, toCall } from './answer.ts';

const toLine = (value: object): string => `${JSON.stringify(value)}\n`;

export class LineWriter implements ChatWriter {
  readonly #options: AnswerOptions;
  #durations: JsonObject | undefined;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  begin(chunk: JsonObject): string {
    this.#durations = objectAt(chunk, 'durations') ?? this.#durations;
    return '';
  }

  delta(delta: JsonObject, choice: JsonObject): string {
    const said = { text: textOf(delta), thinking: thinkingOf(delta), calls: [], logprobs: logprobsOf(choice) };
    return said.text === '' && said.thinking === '' && said.logprobs.length === 0
      ? ''
      : toLine(lineOf(this.#options, said));
  }

  end({ calls, reason, usage }: WholeChat): string {
    const called = { ...NOTHING_SAID, calls: calls.map(toCall) };
    const last = { said: NOTHING_SAID, reason, usage, durations: this.#durations };
    return (calls.length === 0 ? '' : toLine(lineOf(this.#options, called))) + toLine(lastLine(this.#options, last));
  }

  fail(message: string): string {
    return toLine({ error: message });
  }
}
