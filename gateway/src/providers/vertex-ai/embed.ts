import { err } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { fromPredict, takesPredict, toPredictBody } from '../../wire/gemini/index.ts';
import type { Endpoint } from '../contract.ts';
import { modelOf } from './model.ts';
import { publisherPath } from './paths.ts';

export const embed: Endpoint = {
  method: 'POST',
  path: (call) => publisherPath(call, { publisher: 'google', name: modelOf(call).name }, 'predict'),
  request: {
    kind: 'write',
    takes: ({ params }) => takesPredict(params),
    write(params) {
      const body = toPredictBody(params);
      return body.ok ? body : err(new AppError('PARAMETER_INVALID', { detail: body.error, param: 'input' }));
    },
  },
  answer: { kind: 'read', read: fromPredict },
};
