/** A chat for models of other vendors: without what Cohere alone reads in messages. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';

export const forOthers = {
  ownParam: 'citation_options',
  params: (params: JsonObject): JsonObject => {
    const { messages } = params;
    return Array.isArray(messages) ? { ...params, messages: messages.map(plainMessage) } : params;
  },
};

function plainMessage(message: unknown): unknown {
  if (!isObject(message) || message['tool_plan'] === undefined) return message;
  const { tool_plan: _, ...rest } = message;
  return rest;
}
