import { AppError } from '../../errors/index.ts';
import { awsSigV4 } from '../clouds/aws/index.ts';
import type { Authorizer, Call } from '../contract.ts';

/** The service name of the runtime, the control plane and the agent runtime alike. */
const SERVICE = 'bedrock';

/** Other services that proxied calls may be signed for: the buckets that hold files of batches. */
const OTHER_SERVICES: ReadonlySet<string> = new Set(['s3']);

/** The service of a proxied call, if it is not Bedrock. Throws AppError `PARAMETER_INVALID`. */
export function otherServiceOf(call: Call): string | undefined {
  const name = call.fields.text('aws_service');
  if (name === undefined || name === SERVICE) return undefined;
  if (OTHER_SERVICES.has(name)) return name;
  throw new AppError('PARAMETER_INVALID', {
    param: 'aws_service',
    detail: `aws_service must be one of ${[SERVICE, ...OTHER_SERVICES].join(' or ')}`,
    provider: call.provider,
  });
}

/** Signs calls to Bedrock; proxied calls may be for another service of the list. */
export const bedrockAuth: Authorizer = awsSigV4({
  service: (call) => (call.endpoint === 'proxy' ? (otherServiceOf(call) ?? SERVICE) : SERVICE),
});
