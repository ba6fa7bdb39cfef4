import { awsRegion, awsSigV4, endpointDomain } from '../../clouds/aws/index.ts';
import type { Authorizer, Provider } from '../../contract.ts';

const signer = awsSigV4({ service: 'sagemaker' });

const baseUrl = (region: string, domain = 'amazonaws.com'): string => `https://runtime.sagemaker.${region}.${domain}`;

/** The base URL without settings of the environment, which only the authorizer reads. */
export const sagemakerBaseUrl: Provider['baseUrl'] = (call) => baseUrl(awsRegion(call));

/** Applies region and domain of the environment, then signs. */
export const sagemakerAuth: Authorizer = {
  ...signer,
  apply(request, call, context) {
    const { env } = context.services;
    if (!context.customHost) request.origin = baseUrl(awsRegion(call, env), endpointDomain(env));
    return signer.apply(request, call, context);
  },
};

const FIELDS = [
  ...['custom-attributes', 'target-model', 'target-variant', 'target-container-hostname', 'inference-id'],
  ...['enable-explanations', 'inference-component', 'session-id'],
];

/** Every field of the target is sent under the vendor's name. */
export const sagemakerHeaders: NonNullable<Provider['headers']> = Object.fromEntries(
  FIELDS.map((name) => [`x-amzn-sagemaker-${name}`, `{amzn_sagemaker_${name.replaceAll('-', '_')}}`]),
);
