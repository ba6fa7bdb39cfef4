import { AppError } from '../../errors/index.ts';

/** The member at `param` has the wrong shape. Throws PARAMETER_INVALID. */
export function refuseShape(param: string, expected: string): never {
  throw new AppError('PARAMETER_INVALID', { param, detail: `${param} must be ${expected}` });
}

/** The member at `param` asks for what no chat completion can do. Throws PARAMETER_UNSUPPORTED. */
export function refuseParameter(param: string, why: string): never {
  throw new AppError('PARAMETER_UNSUPPORTED', { param, detail: `${param}: ${why}` });
}
