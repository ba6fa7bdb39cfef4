import { err } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { fromEmbedContent, isEmbeddingBatch, takesEmbedContent, toEmbedContentBody } from '../../wire/gemini/index.ts';
import type { Endpoint } from '../contract.ts';
import { modelName, modelPath } from './model-path.ts';

export const embed: Endpoint = {
  method: 'POST',
  path: (call) => modelPath(call, isEmbeddingBatch(call.params) ? 'batchEmbedContents' : 'embedContent'),
  request: {
    kind: 'write',
    takes: () => takesEmbedContent,
    write(params, call) {
      const body = toEmbedContentBody(params, modelName(call));
      return body.ok ? body : err(new AppError('PARAMETER_INVALID', { detail: body.error, param: 'input' }));
    },
  },
  answer: { kind: 'read', read: fromEmbedContent },
};
