import { expect, test } from 'vitest';
import { awsRoleOf } from './aws-role.ts';
import { err, ok } from './result.ts';

const NAMES = { arn: 'ROLE_ARN', externalId: 'EXTERNAL_ID' };
const ARN = 'arn:aws:iam::123456789012:role/logs';

test.for([
  { arn: undefined, externalId: undefined, role: undefined },
  { arn: ARN, externalId: undefined, role: { arn: ARN, externalId: undefined } },
  { arn: ARN, externalId: 'gateway', role: { arn: ARN, externalId: 'gateway' } },
])('the role of $arn with $externalId', ({ arn, externalId, role }) => {
  expect(awsRoleOf({ arn, externalId }, NAMES)).toEqual(ok(role));
});

test.for([
  { arn: 'very-secret', externalId: undefined, problem: 'ROLE_ARN: expected the ARN of a role' },
  { arn: `${ARN}${'x'.repeat(2_048)}`, externalId: undefined, problem: 'ROLE_ARN: expected the ARN of a role' },
  {
    arn: undefined,
    externalId: 'very-secret',
    problem: 'EXTERNAL_ID: needs ROLE_ARN, the ARN of the role that asks for it',
  },
  {
    arn: ARN,
    externalId: 'very secret',
    problem: 'EXTERNAL_ID: expected the external id that the role of ROLE_ARN asks for',
  },
])('a problem with $arn and $externalId', ({ arn, externalId, problem }) => {
  expect(awsRoleOf({ arn, externalId }, NAMES)).toEqual(err(problem));
});
