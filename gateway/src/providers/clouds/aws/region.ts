/** Region and endpoint domain of a call. */
import { AppError } from '../../../errors/index.ts';
import type { Call, OutgoingRequest, ProviderServices } from '../../contract.ts';

const DEFAULT_REGION = 'us-east-1';
const DEFAULT_DOMAIN = 'amazonaws.com';
/** Region and service names; other characters in a host name could redirect a signed call. */
const HOST_LABEL = /^[a-z0-9-]{1,63}$/;
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

type Env = ProviderServices['env'];

/** `https://SERVICE.REGION.amazonaws.com`; `placeEndpoint` applies region and domain of the environment. */
export function awsBaseUrl(service: string, call: Call): string {
  return `https://${service}.${awsRegion(call)}.${DEFAULT_DOMAIN}`;
}

/** The region of the target; with the machine's own identity the environment's region is the default. */
export function awsRegion(call: Call, env: Env = () => undefined): string {
  const own = call.fields.text('aws_region');
  const ambient = call.fields.text('aws_auth_type') === 'serviceRole' ? envRegion(env) : undefined;
  return hostLabel(own ?? ambient ?? DEFAULT_REGION, 'aws_region');
}

/** The region of the token service for assuming a role. */
export function stsRegion(call: Call, env: Env): string {
  const region = call.fields.text('aws_region') ?? (env('AWS_ASSUME_ROLE_REGION') || envRegion(env));
  return hostLabel(region ?? DEFAULT_REGION, 'aws_region');
}

function envRegion(env: Env): string | undefined {
  return env('AWS_REGION') || env('AWS_DEFAULT_REGION') || undefined;
}

/** The domain of the partition, e.g. `amazonaws.com.cn`. */
export function endpointDomain(env: Env): string {
  const domain = env('AWS_ENDPOINT_DOMAIN') || DEFAULT_DOMAIN;
  if (DOMAIN.test(domain)) return domain;
  throw new AppError('CREDENTIAL_UNAVAILABLE', { detail: 'AWS_ENDPOINT_DOMAIN is not a domain name' });
}

/**
 * Base URLs are written before the environment is known. A request to a regional endpoint of `awsBaseUrl` gets the region
 * and the domain of the environment; requests to other hosts stay.
 */
export function placeEndpoint(request: OutgoingRequest, call: Call, env: Env): void {
  const written = `.${awsRegion(call)}.${DEFAULT_DOMAIN}`;
  if (!request.origin.endsWith(written)) return;
  const service = request.origin.slice(0, -written.length);
  if (!service.includes('.')) request.origin = `${service}.${awsRegion(call, env)}.${endpointDomain(env)}`;
}

function hostLabel(text: string, param: string): string {
  if (HOST_LABEL.test(text)) return text;
  throw new AppError('PARAMETER_INVALID', { param, detail: `${param} must be a name` });
}
