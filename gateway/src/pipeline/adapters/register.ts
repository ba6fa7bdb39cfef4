import type { Adapter } from './adapter.ts';
import { messagesCount } from './messages-count.ts';
import { messagesOverChat } from './messages-over-chat/index.ts';
import { responsesOverChat } from './responses-over-chat/index.ts';

/** Every adapter; of several for one operation the first whose endpoint a provider offers is used. */
export const ADAPTERS: readonly Adapter[] = [messagesOverChat, messagesCount, responsesOverChat];
