import { awsRegion, awsSigV4, endpointDomain } from '../../clouds/aws/index.ts';
import type { Authorizer, Provider } from '../../contract.ts';

const signer = awsSigV4({ service: 'sagemaker' });

const baseUrl = (region: string, domain = 'amazonaws.com'): string => `https://runtime.sagemaker.${region}.${domain}`;

/** Without the environment, which only a signature may look at. */
export const sagemakerBaseUrl: Provider['baseUrl'] = (call) => baseUrl(awsRegion(call));

/** Signs, after the environment has had its say about region and domain. */
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

/** Every field of the target goes out under the vendor's name of it. */
export const sagemakerHeaders: NonNullable<Provider['headers']> = Object.fromEntries(
  FIELDS.map((name) => [`x-amzn-sagemaker-${name}`, `{amzn_sagemaker_${name.replaceAll('-', '_')}}`]),
);
