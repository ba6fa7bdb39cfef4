import type { JsonObject } from '../../wire/contract.ts';
import type { StreamProtocol } from '../protocol.ts';
import { type ReplayOptions, replayChat, replayCompletion } from './chunks.ts';
import { replayMessages } from './messages.ts';
import { replayResponses } from './responses.ts';

export type { ReplayOptions } from './chunks.ts';

const REPLAYS: Readonly<Record<StreamProtocol, (answer: JsonObject, options: ReplayOptions) => string[]>> = {
  chat: replayChat,
  completion: replayCompletion,
  messages: replayMessages,
  responses: replayResponses,
};

/** The server-sent events of a stored answer, as the endpoint would have streamed it, terminator included. */
export function replayAsStream(protocol: StreamProtocol, stored: object, options: ReplayOptions): string[] {
  return REPLAYS[protocol]({ ...stored }, options);
}
