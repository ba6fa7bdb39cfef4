/** `:generateContent` and `:streamGenerateContent` over chat completions. */
import { numberAt } from '../../../wire/json/json.ts';
import { ChatStream } from '../chat-stream.ts';
import type { Door } from '../door.ts';
import { toAnswer } from './answer.ts';
import { objectOf } from './members.ts';
import { toChatParams, VENDOR_PARAMS } from './request.ts';
import { type Framing, GeminiWriter } from './stream.ts';

/** A door has one answer. */
const droppedOf = (count: number | undefined): readonly string[] =>
  count === undefined || count === 1 ? [] : ['generationConfig.candidateCount'];

const CONTENT_TYPES: Readonly<Record<Framing, string>> = { sse: 'text/event-stream', array: 'application/json' };

const chatDoor = (isStream: boolean): Door => ({
  vendorParams: VENDOR_PARAMS,
  enter: (given, { query }) => {
    const config = objectOf(given, 'generationConfig');
    const framing = new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'array';
    return {
      params: {
        ...toChatParams(given),
        ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
      },
      dropped: droppedOf(numberAt(config, 'candidateCount') ?? numberAt(config, 'candidate_count')),
      toClient: toAnswer,
      stream: { contentType: CONTENT_TYPES[framing], open: () => new ChatStream(new GeminiWriter(framing)) },
    };
  },
});

export const geminiChat = chatDoor(false);
export const geminiChatStream = chatDoor(true);
