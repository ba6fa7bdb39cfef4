/** Messages of a chat that are made item by item: what one turn of the assistant consists of is one message. */
import type { ContentPart, ToolCall } from '../../../wire/openai/index.ts';
import type { ChatContent } from './content.ts';

interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: ChatContent;
  /** Present where the turn has thinking: everything but calls, in its order. */
  content_blocks?: readonly ContentPart[];
  tool_calls?: ToolCall[];
}

type OtherMessage = { readonly role: string; readonly content: ChatContent; readonly tool_call_id?: string };

export class Conversation {
  readonly messages: (AssistantMessage | OtherMessage)[] = [];
  /** The last message, while calls may be added to it. */
  #turn: AssistantMessage | undefined;
  /** Thinking of what comes next in the turn; without that it is left out. */
  #thinking: ContentPart[] = [];

  add(message: OtherMessage): void {
    this.#turn = undefined;
    this.#thinking = [];
    this.messages.push(message);
  }

  addAnswer(content: ChatContent): void {
    this.#begin(content);
  }

  addCall(call: ToolCall): void {
    const turn = this.#turn ?? this.#begin('');
    if (this.#thinking.length > 0)
      turn.content_blocks = [...(turn.content_blocks ?? asBlocks(turn.content)), ...this.#taken()];
    turn.tool_calls ??= [];
    turn.tool_calls.push(call);
  }

  addThinking(block: ContentPart): void {
    this.#thinking.push(block);
  }

  #begin(content: ChatContent): AssistantMessage {
    const thinking = this.#taken();
    const blocks = thinking.length === 0 ? {} : { content_blocks: [...thinking, ...asBlocks(content)] };
    const turn: AssistantMessage = { role: 'assistant', content, ...blocks };
    this.#turn = turn;
    this.messages.push(turn);
    return turn;
  }

  #taken(): readonly ContentPart[] {
    const thinking = this.#thinking;
    this.#thinking = [];
    return thinking;
  }
}

function asBlocks(content: ChatContent): readonly ContentPart[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}
