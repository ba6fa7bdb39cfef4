/** `:generateContent` and `:streamGenerateContent` over chat completions. */
import { ChatStream } from '../chat-stream.ts';
import type { Door } from '../door.ts';
import { toAnswer } from './answer.ts';
import { forOthers } from './for-others.ts';
import { toChatParams, VENDOR_PARAMS } from './request.ts';
import { type Framing, GeminiWriter } from './stream.ts';
import { unreadOf } from './unread.ts';

const CONTENT_TYPES: Readonly<Record<Framing, string>> = { sse: 'text/event-stream', array: 'application/json' };

const chatDoor = (isStream: boolean): Door => ({
  vendorParams: VENDOR_PARAMS,
  forOthers,
  enter: (given, { query }) => {
    const framing = new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'array';
    return {
      params: {
        ...toChatParams(given),
        ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
      },
      dropped: unreadOf(given),
      toClient: toAnswer,
      stream: { contentType: CONTENT_TYPES[framing], open: () => new ChatStream(new GeminiWriter(framing)) },
    };
  },
});

export const geminiChat = chatDoor(false);
export const geminiChatStream = chatDoor(true);
