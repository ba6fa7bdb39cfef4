/** Generated images. */
import { ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { drawsImages, fromImages, takesImages, toImagesBody } from '../../wire/bedrock/index.ts';
import { refuseStream } from '../../wire/images/index.ts';
import type { Endpoint } from '../contract.ts';
import { andThen } from '../engine/index.ts';
import { modelFromId, modelPath, resolveModel } from './model.ts';

export const imageGenerate: Endpoint = {
  method: 'POST',
  path: (call) => modelPath(modelFromId(call).id, 'invoke'),
  supports: (call) => {
    const { foundation, family } = modelFromId(call);
    return foundation === undefined || drawsImages(family);
  },
  request: {
    kind: 'write',
    takes: (call) => takesImages(modelFromId(call).foundation ?? ''),
    write: (params, call, context) =>
      andThen(resolveModel(call, context), ({ family, foundation = '' }) => {
        refuseStream(params, call);
        if (drawsImages(family)) return ok(toImagesBody(params, foundation));
        const detail = 'The model draws no images';
        throw new AppError('OPERATION_UNSUPPORTED', { detail, param: 'model', provider: call.provider });
      }),
  },
  answer: { kind: 'read', read: fromImages },
};
