/**
 * The chat format of the gateway: the OpenAI shapes plus the documented extensions. Requests come from clients and are read
 * tolerantly; answers and chunks are made here and typed strictly.
 */
import type { Usage } from '../contract.ts';

export interface ContentPart {
  readonly type: string;
  readonly [member: string]: unknown;
}

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  /** `arguments` is JSON text; `thought_signature` is Gemini's (non-strict). */
  readonly function: { readonly name: string; readonly arguments: string; readonly thought_signature?: string };
  readonly cache_control?: unknown;
}

/** A message as clients send it; every member may be missing or of another type. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly ContentPart[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  /** Replaces `content` for upstreams with content blocks. */
  readonly content_blocks?: readonly ContentPart[];
  readonly cache_control?: unknown;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

/** In non-strict mode the upstream's own reason is passed on, so the type is open. */
export type AnyFinishReason = FinishReason | (string & {});

export interface AnswerMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  /** Non-strict only. */
  readonly content_blocks?: readonly ContentPart[];
  readonly [extra: string]: unknown;
}

export interface ChatChoice {
  readonly index: number;
  readonly message: AnswerMessage;
  readonly logprobs: unknown;
  readonly finish_reason: AnyFinishReason;
  readonly [extra: string]: unknown;
}

export interface ChatCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  readonly provider?: string;
  readonly choices: readonly ChatChoice[];
  readonly usage?: Usage;
  readonly [extra: string]: unknown;
}

export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: { readonly name?: string; readonly arguments?: string; readonly thought_signature?: string };
}

export interface BlockDelta {
  readonly index: number;
  readonly delta: Readonly<Record<string, unknown>>;
}

export interface ChatDelta {
  readonly role?: 'assistant';
  readonly content?: string | null;
  readonly tool_calls?: readonly ToolCallDelta[];
  /** Non-strict only. */
  readonly content_blocks?: readonly BlockDelta[];
  readonly [extra: string]: unknown;
}

export interface ChunkChoice {
  readonly index: number;
  readonly delta: ChatDelta;
  readonly logprobs?: unknown;
  readonly finish_reason: AnyFinishReason | null;
  readonly [extra: string]: unknown;
}

export interface ChatChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly provider?: string;
  readonly choices: readonly ChunkChoice[];
  readonly [extra: string]: unknown;
}
