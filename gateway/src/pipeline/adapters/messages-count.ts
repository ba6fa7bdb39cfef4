/** Counts of messages, where a provider counts the tokens of chat completions: docs/behaviour/messages.md. */
import type { Adapter } from './adapter.ts';
import { messagesOverChat } from './messages-over-chat/index.ts';

export const messagesCount: Adapter = {
  operation: 'messagesCountTokens',
  endpoint: 'countTokens',
  adapt: ({ stream: _, ...params }, context) => ({
    ...messagesOverChat.adapt(params, context),
    toClient: (answer) => answer,
  }),
};
