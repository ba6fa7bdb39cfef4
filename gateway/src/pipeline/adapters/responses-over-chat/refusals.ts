/** Why a request for a response cannot be a chat; docs/behaviour/responses.md#what-is-refused. */
import { AppError } from '../../../errors/index.ts';

/** Types are short words; anything else is not repeated. */
const TYPE = /^[\w.-]{1,40}$/;

/** A type of the request as texts may name it. */
export const shownType = (type: unknown): string =>
  typeof type === 'string' && TYPE.test(type) ? `of type ${type}` : 'of an unknown type';

/** The member at `param` has the wrong shape. */
export function refuseShape(param: string, expected: string): never {
  throw new AppError('PARAMETER_INVALID', { param, detail: `${param} must be ${expected}` });
}

export interface Refused {
  readonly provider: string;
  readonly remedy: string;
}

/** The member at `param` asks for what the Responses API alone can do. */
export function refuseParameter(param: string, { provider, remedy }: Refused): never {
  throw new AppError('PARAMETER_UNSUPPORTED', {
    param,
    provider,
    detail: `${param}: ${provider} has no Responses API, and is called for a chat completion instead; ${remedy}`,
  });
}

/** The item or part at `param` has no counterpart in a chat. */
export function refuseContent(param: string, { provider, what }: { provider: string; what: string }): never {
  throw new AppError('CONTENT_UNSUPPORTED', {
    param,
    provider,
    detail: `${param}: ${provider} has no Responses API, and a chat completion takes no ${what}; leave it out, or send it to a provider that has the API`,
  });
}
