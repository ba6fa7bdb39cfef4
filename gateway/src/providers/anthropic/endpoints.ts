/** The vendor's operations. */
import { ok } from '@gatehouse/crds';
import {
  createAnthropicDecoder,
  createLegacyCompletionDecoder,
  fromAnthropicAnswer,
  fromLegacyCompletion,
  takesAnthropicChat,
  takesLegacyCompletion,
  toAnthropicBody,
  toCountBody,
  toLegacyCompletion,
  withoutUnsignedThoughts,
} from '../../wire/anthropic/index.ts';
import { takesAll } from '../../wire/params/params.ts';
import type { Endpoint, RequestRule } from '../contract.ts';
import { requireModel } from '../engine/index.ts';

export const chatComplete: Endpoint = {
  method: 'POST',
  path: '/messages',
  request: { kind: 'write', takes: () => takesAnthropicChat, write: toAnthropicBody },
  answer: { kind: 'read', read: fromAnthropicAnswer },
  stream: { kind: 'decode', framing: 'sse', open: createAnthropicDecoder },
};

export const countTokens: Endpoint = {
  method: 'POST',
  path: '/messages/count_tokens',
  request: {
    kind: 'write',
    takes: () => takesAll, // what is left out does not change the count
    write(params, call) {
      requireModel(call);
      const body = toAnthropicBody(params, call);
      return body.ok ? ok(toCountBody(body.value)) : body;
    },
  },
  answer: { kind: 'relay' },
};

export const complete: Endpoint = {
  method: 'POST',
  path: '/complete',
  request: {
    kind: 'write',
    takes: () => takesLegacyCompletion,
    write(params, call) {
      const body = toLegacyCompletion(params);
      if (!body.ok) return body;
      return ok({ model: requireModel(call), ...body.value, ...(call.stream ? { stream: true } : {}) });
    },
  },
  answer: { kind: 'read', read: fromLegacyCompletion },
  stream: { kind: 'decode', framing: 'sse', open: createLegacyCompletionDecoder },
};

/** Members of bodies that go into headers. */
export const OF_HEADERS = ['anthropic_beta', 'anthropic_version'];
const nativeBody: RequestRule = {
  kind: 'table',
  table: { drop: OF_HEADERS, elsewhere: OF_HEADERS, hooks: [withoutUnsignedThoughts] },
};

export const messages: Endpoint = {
  method: 'POST',
  path: '/messages',
  request: nativeBody,
  answer: { kind: 'relay' },
  stream: { kind: 'relay' },
};

export const messagesCountTokens: Endpoint = {
  method: 'POST',
  path: '/messages/count_tokens',
  request: nativeBody,
  answer: { kind: 'relay' },
};
