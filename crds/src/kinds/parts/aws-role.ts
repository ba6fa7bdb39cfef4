/** The role of AWS that a resource names. */
import { EXTERNAL_ID, MAX_EXTERNAL_ID, MAX_ROLE_ARN, ROLE_ARN } from '../../lib/aws-role.ts';
import { pattern, type Rule } from '../../schema/index.ts';

export const roleArn = (description: string) =>
  pattern(ROLE_ARN, 'the ARN of a role', MAX_ROLE_ARN).meta({ description }).optional();

export const externalId = (description: string) =>
  pattern(EXTERNAL_ID, 'an external id', MAX_EXTERNAL_ID).meta({ description }).optional();

/** Of a bucket. */
export const BUCKET_ROLE = {
  roleArn: roleArn(
    'roleArn is the role of AWS that is assumed for the bucket, with the key pair of secretRef or the identity of the pod.',
  ),
  externalId: externalId('externalId is the external id that the role asks for.'),
} as const;

interface RoleFields {
  readonly roleArn?: string | undefined;
  readonly externalId?: string | undefined;
}

const BUCKET = { bucket: 'objects', region: 'eu-central-1' };

export const BUCKET_ROLE_RULES: readonly Rule<RoleFields>[] = [
  {
    cel: '!has(self.externalId) || has(self.roleArn)',
    message: 'externalId is that of roleArn',
    at: 'externalId',
    holds: ({ roleArn: role, externalId: id }) => id === undefined || role !== undefined,
    valid: [BUCKET, { ...BUCKET, roleArn: 'arn:aws:iam::123456789012:role/objects', externalId: 'gateway' }],
    invalid: [{ ...BUCKET, externalId: 'gateway' }],
  },
];
