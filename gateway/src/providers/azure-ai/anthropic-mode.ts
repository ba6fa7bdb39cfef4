/** Foundry serves Claude models under their own URL, in the format of the messages API. */
import { ok } from '@gatehouse/crds';
import {
  createAnthropicDecoder,
  fromAnthropicAnswer,
  takesAnthropicChat,
  toAnthropicBody,
  withoutUnsignedThoughts,
} from '../../wire/anthropic/index.ts';
import { createOpenAiChatDecoder, readChatAnswer } from '../../wire/openai/index.ts';
import { takesAll } from '../../wire/params/params.ts';
import type { Authorizer, Call, Endpoint } from '../contract.ts';
import { apiKeyHeader, bearer, shapeBody, takenByTable } from '../engine/index.ts';

const DEFAULT_VERSION = '2023-06-01';
const MESSAGES_PATH = '/v1/messages';

/** Whether the target's URL is that of the messages format. */
export function isAnthropic({ fields }: Call): boolean {
  return (fields.text('custom_host') ?? fields.text('azure_foundry_url') ?? '').includes('anthropic');
}

/** Sent with the messages format only. */
export const anthropicVersion = (call: Call): string | undefined =>
  isAnthropic(call)
    ? (call.fields.text('anthropic_version') ?? call.header('anthropic-version') ?? DEFAULT_VERSION)
    : undefined;

/** Feature flags of the client. */
export const anthropicBeta = (call: Call): string | undefined =>
  isAnthropic(call) ? call.header('anthropic-beta') : undefined;

const anthropicKey = apiKeyHeader('x-api-key');
const openAiKey = bearer();

/** The API key where the format expects it. */
export const apiKey: Authorizer = {
  summary: 'authorization: Bearer {api_key}, or x-api-key in the Anthropic mode',
  apply: (request, call, context) => (isAnthropic(call) ? anthropicKey : openAiKey).apply(request, call, context),
};

/** Chat in either format: the one of the given endpoint, or Anthropic's. */
export function chatInEitherMode(chat: Endpoint & { readonly path: (call: Call) => string }): Endpoint {
  const { request } = chat;
  const taken = (request.kind === 'table' ? takenByTable(request.table) : undefined) ?? takesAll;
  return {
    method: 'POST',
    path: (call) => (isAnthropic(call) ? MESSAGES_PATH : chat.path(call)),
    request: {
      kind: 'write',
      takes: (call) => (isAnthropic(call) ? takesAnthropicChat : taken),
      write(params, call) {
        if (isAnthropic(call)) return toAnthropicBody(params, call);
        return ok(request.kind === 'table' ? shapeBody(request.table, params, call) : params);
      },
    },
    answer: {
      kind: 'read',
      read: (body, call) => (isAnthropic(call) ? fromAnthropicAnswer(body, call) : readChatAnswer(body, call, {})),
    },
    stream: {
      kind: 'decode',
      framing: 'sse',
      open: (call) => (isAnthropic(call) ? createAnthropicDecoder(call) : createOpenAiChatDecoder(call)),
    },
  };
}

/** Messages as the client sends them, for Claude models. */
export const nativeMessages: Endpoint = {
  method: 'POST',
  path: MESSAGES_PATH,
  supports: (call) => isAnthropic(call) || call.model.includes('claude'),
  request: { kind: 'table', table: { hooks: [withoutUnsignedThoughts] } },
  answer: { kind: 'relay' },
  stream: { kind: 'relay' },
};
