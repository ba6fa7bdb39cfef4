import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { BOTH, called, id, optionalSecret, redact, setting } from './fields.ts';

export const bedrockGuard = defineCheckEntry({
  id: 'bedrock.guard',
  summary: 'Passes when an Amazon Bedrock guardrail blocks nothing of the text.',
  phases: BOTH,
  callsOut: true,
  transforms: true,
  credential: {
    fields: [
      {
        ...setting('awsAuthType', 'accessKey (default), or assumedRole with an access key.'),
        podIdentity: ({ awsAuthType, awsAccessKeyId, accessKeyId }) =>
          awsAuthType === 'serviceRole' ||
          (awsAuthType === 'assumedRole' && awsAccessKeyId === undefined && accessKeyId === undefined),
      },
      optionalSecret('awsAccessKeyId', 'The id of the access key.'),
      optionalSecret('awsSecretAccessKey', 'The secret of the access key.'),
      optionalSecret('awsSessionToken', 'The session token of a temporary access key.'),
      setting('awsRegion', 'The region; default: that of the environment.'),
      optionalSecret('awsRoleArn', 'The role for assumedRole.'),
      optionalSecret('awsExternalId', 'The external id for assumedRole.'),
      setting('customHost', 'The URL of the service; default https://bedrock-runtime.REGION.amazonaws.com.'),
      setting('baseUrl', 'Another name of customHost.'),
      optionalSecret('accessKeyId', 'Another name of awsAccessKeyId.'),
      optionalSecret('accessKeySecret', 'Another name of awsSecretAccessKey.'),
      setting('region', 'Another name of awsRegion.'),
    ],
  },
  parameters: z.strictObject({
    guardrailId: id('guardrailId is the id or ARN of the guardrail.'),
    guardrailVersion: id('guardrailVersion is the version of the guardrail, e.g. DRAFT.'),
    redact: redact('the sensitive information found'),
    ...called(),
  }),
});
