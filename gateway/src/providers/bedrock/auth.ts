import { awsSigV4 } from '../../upstream/aws/index.ts';
import type { Authorizer } from '../contract.ts';

/** The service name of the runtime, the control plane and the agent runtime alike. */
export const SERVICE = 'bedrock';

/** Signs calls to Bedrock; proxied calls may name another service. */
export const bedrockAuth: Authorizer = awsSigV4({
  service: (call) => (call.operation === 'proxy' ? (call.fields.text('aws_service') ?? SERVICE) : SERVICE),
});
