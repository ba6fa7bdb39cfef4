import { describe, expect, test } from 'vitest';
import { formatPath } from '../schema/index.ts';
import { immutableFields, immutableIssues, isKindName, KINDS } from './index.ts';

test('what never changes after creation', () => {
  const fields = Object.keys(KINDS)
    .filter(isKindName)
    .flatMap((kind) => immutableFields(KINDS[kind]).map(({ name }) => `${kind}.${name}`));
  expect(fields).toEqual([
    'Workspace.namespace',
    'ApiKey.type',
    'ApiKey.user',
    'Integration.provider',
    'IntegrationAccess.integrationRef',
    'RateLimitPolicy.target',
    'PromptCollection.parentRef',
    'PromptPartialVersion.partialRef',
    'PromptPartialVersion.version',
    'PromptPartialVersion.text',
    'PromptVersion.promptRef',
    'PromptVersion.version',
    'PromptVersion.template',
    'McpServer.integrationRef',
    'SecretReference.manager',
    'WorkspaceMember.user',
    'ScimMapping.group',
    'ScimMapping.workspaceRef',
    'ScimMapping.role',
  ]);
});

describe('an update', () => {
  const user = { type: 'workspace-user', user: 'ada', scopes: ['completions.write'] };
  test.for([
    { rule: 'of other fields passes', after: { ...user, scopes: [] }, want: [] },
    { rule: 'of an immutable field is refused', after: { ...user, user: 'bob' }, want: ['spec.user'] },
    { rule: 'that drops one is refused', after: { ...user, user: undefined }, want: ['spec.user'] },
    { rule: 'of several names them all', after: { type: 'workspace-service' }, want: ['spec.type', 'spec.user'] },
  ])('$rule', ({ after, want }) => {
    const issues = immutableIssues('ApiKey', { spec: user }, { spec: after });
    expect(issues.map(({ path }) => formatPath(path))).toEqual(want);
  });

  test('compares objects by content', () => {
    const before = { spec: { integrationRef: { name: 'a' } } };
    expect(immutableIssues('IntegrationAccess', before, { spec: { integrationRef: { name: 'a' } } })).toEqual([]);
  });
});
