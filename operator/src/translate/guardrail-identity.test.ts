import { expect, test } from 'vitest';
import { type TestObject, worldOf } from './test-world.ts';
import { translate } from './translate.ts';

const ORGANISATION: TestObject = {
  kind: 'Organisation',
  metadata: { name: 'default' },
  spec: { cloudIdentityGrants: [{ workspace: 'team-a', clouds: ['aws', 'azure'] }] },
};
const WORKSPACE: TestObject = { kind: 'Workspace', metadata: { name: 'team-a' }, spec: { namespace: 'team-a' } };
const PAIR = { awsAccessKeyId: 'id', awsSecretAccessKey: 'secret' };

function verdictOf(namespace: string, id: string, stringData: Readonly<Record<string, string>>) {
  const parameters = id === 'bedrock.guard' ? { guardrailId: 'g', guardrailVersion: '1' } : {};
  const { verdicts, snapshot } = translate(
    worldOf([
      ORGANISATION,
      WORKSPACE,
      { kind: 'Secret', metadata: { name: 'cloud', namespace }, stringData },
      {
        kind: 'Guardrail',
        metadata: { name: 'scan', namespace, generation: 1 },
        spec: { checks: [{ id, parameters, parametersSecretRef: { name: 'cloud' } }] },
      },
    ]),
  );
  const { conditions } = verdicts.find(({ key }) => key === `Guardrail/${namespace}/scan`) ?? {};
  return {
    reason: conditions?.['ResolvedRefs']?.reason,
    message: conditions?.['ResolvedRefs']?.message ?? '',
    isServed: snapshot.entries.some(({ kind }) => kind === 'guardrail'),
  };
}

/** A grant is for accounts of models: a check may have an address of its own. */
test.for([
  ['team-a', 'bedrock.guard', { awsAuthType: 'serviceRole' }],
  ['team-a', 'bedrock.guard', { awsAuthType: 'assumedRole', awsRoleArn: 'arn' }],
  ['team-a', 'azure.pii', { resourceName: 'r', azureAuthMode: 'managed' }],
  ['team-a', 'azure.pii', { resourceName: 'r', 'pii.azureAuthMode': 'managed' }],
  ['gatehouse-system', 'bedrock.guard', { awsAuthType: 'serviceRole' }],
] as const)('a guardrail in %s does not get the identity of the pods: %s %j', ([namespace, id, fields]) => {
  const { reason, message, isServed } = verdictOf(namespace, id, fields);
  expect([reason, isServed]).toEqual(['IdentityNotGranted', false]);
  expect(message).toMatch(
    /the Secret cloud: (?:pii\.)?(?:awsAuthType|azureAuthMode) .* identity of the gateway's pods/,
  );
});

test.for([
  ['bedrock.guard', { ...PAIR, awsAuthType: 'assumedRole', awsRoleArn: 'arn' }],
  ['bedrock.guard', PAIR],
  ['azure.pii', { resourceName: 'r', apiKey: 'k' }],
  ['azure.pii', { resourceName: 'r', azureAuthMode: 'managed', apiKey: 'token' }],
] as const)('a credential of its own serves %s', ([id, fields]) => {
  expect(verdictOf('team-a', id, fields)).toMatchObject({ isServed: true });
});
