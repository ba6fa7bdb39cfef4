/** Tenant and base model are in the path, the adapter in the body. */
import { AppError } from '../../../errors/index.ts';
import type { BodyHook, Call } from '../../contract.ts';
import { pathSegment, requireModel } from '../../engine/index.ts';

/** `base[:adapter]`. */
function splitModel(model: string): readonly [base: string, adapter: string] {
  const at = model.indexOf(':');
  return at < 0 ? [model, ''] : [model.slice(0, at), model.slice(at + 1)];
}

export function predibasePath(call: Call): string {
  const { user } = call.params;
  const [base] = splitModel(requireModel(call));
  if (typeof user !== 'string' || user === '') {
    throw new AppError('PARAMETER_INVALID', {
      detail: 'user must hold the tenant id',
      param: 'user',
      provider: call.provider,
    });
  }
  const model = pathSegment(base, 'model');
  return `/${pathSegment(user, 'user')}/deployments/v2/llms/${model}/v1/chat/completions`;
}

export const adapterAsModel: BodyHook = (params, call) => ({ ...params, model: splitModel(call.model)[1] });
