/** Errors about a place in a messages request. */
import { formatPath, isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import type { Path } from './places.ts';

/** Types are short words; anything else is not repeated. */
const TYPE = /^[\w.-]{1,40}$/;

/** Throws PARAMETER_INVALID. `rule`: what the place must hold. */
export function refuseValue(path: Path, rule: string): never {
  const param = formatPath(path);
  throw new AppError('PARAMETER_INVALID', { param, detail: `${param} ${rule}` });
}

/** Throws CONTENT_UNSUPPORTED. */
export function refuseBlock(block: unknown, path: Path, provider: string): never {
  const param = formatPath(path);
  const type: unknown = isObject(block) ? block['type'] : undefined;
  const kind = typeof type === 'string' && TYPE.test(type) ? ` of type ${type}` : '';
  throw new AppError('CONTENT_UNSUPPORTED', {
    param,
    provider,
    detail: `${param}: a chat completion of ${provider} has no such block${kind}; leave it out, or send it to a provider of the Messages API`,
  });
}
