/** The vendor's operations. */
import { ok } from '@gatehouse/crds';
import {
  createAnthropicDecoder,
  createLegacyCompletionDecoder,
  fromAnthropicAnswer,
  fromLegacyCompletion,
  toAnthropicBody,
  toLegacyCompletion,
} from '../../wire/anthropic/index.ts';
import type { Endpoint, RequestRule } from '../contract.ts';
import { requireModel } from '../engine/index.ts';

export const chatComplete: Endpoint = {
  method: 'POST',
  path: '/messages',
  request: { kind: 'write', write: toAnthropicBody },
  answer: { kind: 'read', read: fromAnthropicAnswer },
  stream: { kind: 'decode', framing: 'sse', open: createAnthropicDecoder },
};

export const complete: Endpoint = {
  method: 'POST',
  path: '/complete',
  request: {
    kind: 'write',
    write(params, call) {
      const body = toLegacyCompletion(params);
      if (!body.ok) return body;
      return ok({ model: requireModel(call), ...body.value, ...(call.stream ? { stream: true } : {}) });
    },
  },
  answer: { kind: 'read', read: fromLegacyCompletion },
  stream: { kind: 'decode', framing: 'sse', open: createLegacyCompletionDecoder },
};

/** Members that the vendor takes as headers. */
const nativeBody: RequestRule = { kind: 'table', table: { drop: ['anthropic_beta', 'anthropic_version'] } };

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
