/** A streamed chat as the events of Cohere's chat. */
import { newId } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { textOf } from '../chat-parts.ts';
import type { ChatWriter, WholeChat } from '../chat-stream.ts';
import { answerId, toReason, toUsage } from './answer.ts';
import { logprobsOf, ThoughtReader } from './said.ts';

type Kind = 'text' | 'thinking';

const toEvent = (type: string, members: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const inMessage = (message: JsonObject): JsonObject => ({ delta: { message } });

export class CohereWriter implements ChatWriter {
  /** The content that is open. */
  #open: Kind | undefined;
  #index = 0;
  #hasBegun = false;
  readonly #thoughts = new ThoughtReader();
  /** Those that have come before what they are about. */
  #citations: readonly JsonObject[] = [];
  #cited = 0;

  begin(chunk: JsonObject): string {
    const citations = objectsAt(chunk, 'citations');
    if (citations.length > 0) this.#citations = [...this.#citations, ...citations];
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
    return toEvent('message-start', { id: answerId(chunk), ...inMessage(message) });
  }

  delta(delta: JsonObject, choice: JsonObject): string {
    const { plan, thinking } = this.#thoughts.read(delta);
    const planned = plan === '' ? '' : toEvent('tool-plan-delta', inMessage({ tool_plan: plan }));
    const said =
      planned + this.#say('thinking', thinking) + this.#say('text', textOf(delta), joined(logprobsOf(choice)));
    return this.#open === 'text' ? said + this.#cite() : said;
  }

  end({ calls, reason, usage: used }: WholeChat): string {
    const usage = toUsage(used);
    const finish_reason = toReason(reason, calls.length > 0);
    const last = toEvent('message-end', { delta: { finish_reason, ...(usage === undefined ? {} : { usage }) } });
    return this.#cite() + this.#close() + calls.map(toCallEvents).join('') + last;
  }

  fail(message: string): string {
    return this.#close() + toEvent('message-end', { delta: { finish_reason: 'ERROR', error: message } });
  }

  #say(kind: Kind, said: string, logprobs?: JsonObject): string {
    if (said === '') return '';
    const start = this.#open === kind ? '' : this.#close() + this.#start(kind);
    const members = { ...inMessage({ content: { [kind]: said } }), ...(logprobs === undefined ? {} : { logprobs }) };
    return start + toEvent('content-delta', { index: this.#index, ...members });
  }

  #cite(): string {
    const events = this.#citations.map((citations, i) => {
      const index = this.#cited + i;
      return toEvent('citation-start', { index, ...inMessage({ citations }) }) + toEvent('citation-end', { index });
    });
    this.#cited += events.length;
    this.#citations = [];
    return events.join('');
  }

  #start(kind: Kind): string {
    this.#open = kind;
    return toEvent('content-start', { index: this.#index, ...inMessage({ content: { type: kind, [kind]: '' } }) });
  }

  #close(): string {
    if (this.#open === undefined) return '';
    this.#open = undefined;
    const event = toEvent('content-end', { index: this.#index });
    this.#index += 1;
    return event;
  }
}

/** An event has one entry. */
function joined(entries: readonly JsonObject[]): JsonObject | undefined {
  if (entries.length < 2) return entries[0];
  const listOf = (name: string): readonly unknown[] => entries.flatMap((entry) => entry[name]);
  return { text: listOf('text').join(''), token_ids: listOf('token_ids'), logprobs: listOf('logprobs') };
}

function toCallEvents(call: JsonObject, index: number): string {
  const called = objectAt(call, 'function');
  const id = textAt(call, 'id') || newId('call_');
  const start = { id, type: 'function', function: { name: textAt(called, 'name') ?? '', arguments: '' } };
  const rest = { function: { arguments: textAt(called, 'arguments') || '{}' } };
  return (
    toEvent('tool-call-start', { index, ...inMessage({ tool_calls: start }) }) +
    toEvent('tool-call-delta', { index, ...inMessage({ tool_calls: rest }) }) +
    toEvent('tool-call-end', { index })
  );
}
