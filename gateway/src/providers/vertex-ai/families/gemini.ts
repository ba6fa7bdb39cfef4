import { ok } from '@gatehouse/crds';
import {
  createGeminiDecoder,
  fromGeminiAnswer,
  fromGeminiCount,
  takesGeminiChat,
  toGeminiBody,
} from '../../../wire/gemini/index.ts';
import { publisherPath } from '../paths.ts';
import type { ChatFamily } from './family.ts';

/** Members that are counted. Source: Vertex AI API reference, `countTokens`. */
const COUNTED = ['contents', 'systemInstruction', 'tools', 'generationConfig'];

/** Google's own models. The upstream fetches URLs of images and files itself. */
export const geminiFamily: ChatFamily = {
  path: (call, name) => publisherPath(call, { publisher: 'google', name }, 'generateContent'),
  streamPath: (call, name) => `${publisherPath(call, { publisher: 'google', name }, 'streamGenerateContent')}?alt=sse`,
  takes: (name) => takesGeminiChat(name, true),
  write: (params, _call, name) =>
    ok(toGeminiBody(params, { model: name, safetyMember: 'safety_settings', labels: true })),
  read: (body, call) => fromGeminiAnswer(body, call),
  open: (call) => createGeminiDecoder(call),
  count: {
    path: (call, name) => publisherPath(call, { publisher: 'google', name }, 'countTokens'),
    write: (params, _call, name) => {
      const body = toGeminiBody(params, { model: name, safetyMember: 'safety_settings', labels: false });
      return ok(Object.fromEntries(COUNTED.flatMap((member) => (member in body ? [[member, body[member]]] : []))));
    },
    read: fromGeminiCount,
  },
};
