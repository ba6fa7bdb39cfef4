import type { Result } from '@gatehouse/crds';
import type { AppError } from '../../../errors/index.ts';
import type { Call, Framing, JsonObject, StreamDecoder, Takes } from '../../contract.ts';

/** How one publisher's models are called for chat. */
export interface ChatFamily {
  path(call: Call, name: string): string;
  streamPath(call: Call, name: string): string;
  takes(name: string): Takes;
  write(params: JsonObject, call: Call, name: string): Result<object, AppError>;
  read(body: unknown, call: Call): Result<object, string>;
  /** Server-sent events when absent. */
  readonly framing?: Framing;
  open(call: Call): StreamDecoder;
  /** How tokens are counted; absent: they are not. */
  readonly count?: {
    path(call: Call, name: string): string;
    write(params: JsonObject, call: Call, name: string): Result<object, AppError>;
    read(body: unknown): Result<object, string>;
  };
}
