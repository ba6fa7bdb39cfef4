/** The Messages API over chat completions: docs/behaviour/messages.md. */
import type { Adaptation, Adapter, AdapterContext } from '../adapter.ts';
import { toMessage } from './answer.ts';
import { clientNameOf } from './names.ts';
import { toChatRequest } from './request.ts';
import { createMessageEvents } from './stream.ts';

export const messagesOverChat: Adapter = {
  operation: 'messages',
  endpoint: 'chatComplete',
  adapt(params, context: AdapterContext): Adaptation {
    const { params: chat, dropped, places } = toChatRequest(params, context);
    return {
      params: chat,
      dropped,
      nameOf: (param) => clientNameOf(param, params),
      placeOf: (part) => places.of(part),
      toClient: (answer) => toMessage(answer, context),
      openStream: () => createMessageEvents(context),
    };
  },
};
