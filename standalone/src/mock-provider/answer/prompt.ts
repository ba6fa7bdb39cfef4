/** One message of a conversation, whatever the dialect. A message with several concerns becomes several turns. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly images?: number;
}

export interface Tool {
  readonly name: string;
  readonly schema: unknown;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** Options of the request beside the conversation. */
export interface PromptOptions {
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** Several calls in one answer are allowed unless this is false. */
  readonly parallelCalls?: boolean;
  /** The answer must be JSON, of this schema if there is one. */
  readonly json?: { readonly schema?: unknown };
  readonly maxTokens?: number | undefined;
  readonly stop?: readonly string[];
  readonly thinks?: boolean;
}

export interface Prompt {
  readonly userText: string;
  readonly images: number;
  /** The results with which the conversation ends, if it ends with results. */
  readonly toolResult: string | undefined;
  /** UTF-16 code units of all texts of the conversation. */
  readonly characters: number;
  readonly options: PromptOptions;
}

export function toPrompt(turns: readonly Turn[], options: PromptOptions): Prompt {
  const lastUser = turns.findLast((turn) => turn.role === 'user');
  const lastOther = turns.findLastIndex((turn) => turn.role !== 'tool');
  const results = turns.slice(lastOther + 1).map((turn) => turn.text);
  return {
    userText: lastUser?.text ?? '',
    images: lastUser?.images ?? 0,
    toolResult: results.length > 0 ? results.join(', ') : undefined,
    characters: turns.reduce((sum, turn) => sum + turn.text.length, 0),
    options,
  };
}
