/** The own API of a server of Ollama, for clients that speak it. Source: Ollama API reference. */
import { ok } from '@gatehouse/crds';
import {
  createOllamaDecoder,
  fromOllamaChat,
  fromOllamaEmbed,
  takesOllamaChat,
  takesOllamaEmbed,
  toOllamaChat,
  toOllamaEmbed,
} from '../../wire/ollama/index.ts';
import type { Endpoint, OwnApiEndpointId } from '../contract.ts';
import { requireModel } from '../engine/index.ts';

export const OLLAMA_API: Readonly<Record<OwnApiEndpointId, Endpoint>> = {
  ollamaChat: {
    method: 'POST',
    path: '/api/chat',
    request: {
      kind: 'write',
      takes: () => takesOllamaChat,
      write: (params, call) => ok(toOllamaChat(params, requireModel(call))),
    },
    answer: { kind: 'read', read: fromOllamaChat },
    stream: { kind: 'decode', framing: 'json-lines', open: createOllamaDecoder },
  },
  ollamaEmbed: {
    method: 'POST',
    path: '/api/embed',
    request: {
      kind: 'write',
      takes: () => takesOllamaEmbed,
      write: (params, call) => ok(toOllamaEmbed(params, requireModel(call))),
    },
    answer: { kind: 'read', read: fromOllamaEmbed },
  },
};
