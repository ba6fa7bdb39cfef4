/** A streamed chat as lines of JSON. */
import type { JsonObject } from '../../../wire/contract.ts';
import { textOf, thinkingOf } from '../chat-parts.ts';
import type { ChatWriter } from '../chat-stream.ts';
import { type AnswerOptions, lastLine, lineOf, NOTHING_SAID, toCall } from './answer.ts';

const toLine = (value: object): string => `${JSON.stringify(value)}\n`;

export const lineWriter = (options: AnswerOptions): ChatWriter => ({
  delta: (delta: JsonObject) => {
    const said = { text: textOf(delta), thinking: thinkingOf(delta), calls: [] };
    return said.text === '' && said.thinking === '' ? '' : toLine(lineOf(options, said));
  },
  end: ({ calls, reason, usage }) => {
    const called = calls.length === 0 ? '' : toLine(lineOf(options, { ...NOTHING_SAID, calls: calls.map(toCall) }));
    return called + toLine(lastLine(options, { said: NOTHING_SAID, reason, usage }));
  },
  fail: (message) => toLine({ error: message }),
});
