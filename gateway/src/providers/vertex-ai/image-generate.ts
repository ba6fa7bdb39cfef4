/** Images of the Imagen models. */
import { ok } from '@gatehouse/crds';
import { fromImagen, takesImagen, toImagenBody } from '../../wire/gemini/index.ts';
import { refuseStream } from '../../wire/images/index.ts';
import type { Endpoint } from '../contract.ts';
import { modelOf } from './model.ts';
import { publisherPath } from './paths.ts';

export const imageGenerate: Endpoint = {
  method: 'POST',
  path: (call) => publisherPath(call, { publisher: 'google', name: modelOf(call).name }, 'predict'),
  supports: (call) => modelOf(call).family === 'google',
  request: {
    kind: 'write',
    takes: () => takesImagen,
    write(params, call) {
      refuseStream(params, call);
      return ok(toImagenBody(params));
    },
  },
  answer: { kind: 'read', read: fromImagen },
};
