import { ok } from '@gatehouse/crds';
import {
  createGeminiDecoder,
  fromGeminiAnswer,
  type InlineMedia,
  remoteMediaOf,
  takesGeminiChat,
  toGeminiBody,
} from '../../wire/gemini/index.ts';
import type { Call, Endpoint, JsonObject } from '../contract.ts';
import { downloadMedia } from './download-media.ts';
import { modelName, modelPath } from './model-path.ts';

export const bodyOf = (params: JsonObject, call: Call, media?: InlineMedia): JsonObject =>
  toGeminiBody(params, {
    model: modelName(call),
    safetyMember: 'safetySettings',
    labels: false,
    ...(media === undefined ? {} : { media }),
  });

export const chatComplete: Endpoint = {
  method: 'POST',
  path: (call) => modelPath(call, 'generateContent'),
  streamPath: (call) => `${modelPath(call, 'streamGenerateContent')}?alt=sse`,
  request: {
    kind: 'write',
    takes: (call) => takesGeminiChat(modelName(call), false),
    write(params, call, context) {
      const remote = remoteMediaOf(params);
      if (remote.length === 0) return ok(bodyOf(params, call));
      return downloadMedia(remote, context).then((media) => (media.ok ? ok(bodyOf(params, call, media.value)) : media));
    },
  },
  answer: { kind: 'read', read: (body, call) => fromGeminiAnswer(body, call) },
  stream: { kind: 'decode', framing: 'sse', open: (call) => createGeminiDecoder(call) },
};
