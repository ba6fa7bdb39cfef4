import { ok } from '@gatehouse/crds';
import { fromGeminiCount, remoteMediaOf } from '../../wire/gemini/index.ts';
import { takesAll } from '../../wire/params/params.ts';
import type { Call, Endpoint, JsonObject } from '../contract.ts';
import { bodyOf } from './chat-complete.ts';
import { downloadMedia } from './download-media.ts';
import { modelName, modelPath } from './model-path.ts';

/** The whole request is counted, its instructions and tools included. */
const counted = (body: JsonObject, call: Call): object => ({
  generateContentRequest: { model: `models/${modelName(call)}`, ...body },
});

export const countTokens: Endpoint = {
  method: 'POST',
  path: (call) => modelPath(call, 'countTokens'),
  request: {
    kind: 'write',
    takes: () => takesAll, // what is left out does not change the count
    write(params, call, context) {
      const remote = remoteMediaOf(params);
      if (remote.length === 0) return ok(counted(bodyOf(params, call), call));
      return downloadMedia(remote, context).then((media) =>
        media.ok ? ok(counted(bodyOf(params, call, media.value), call)) : media,
      );
    },
  },
  answer: { kind: 'read', read: fromGeminiCount },
};
