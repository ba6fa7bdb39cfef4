import { describe, expect, test } from 'vitest';
import { API_KEY_TYPES, canonicalScope, SCOPES, scopeProblem } from './scopes.ts';

describe('a scope', () => {
  test.for([
    { scope: 'completions.write', holders: ['organisation-service', 'workspace-service', 'workspace-user'] },
    { scope: 'models.list', holders: ['organisation-service', 'workspace-service', 'workspace-user'] },
    { scope: 'completions:write', holders: ['organisation-service', 'workspace-service', 'workspace-user'] },
    { scope: 'workspace_user_api_keys.rotate', holders: ['organisation-service', 'workspace-service'] },
    {
      scope: 'organisation_integrations.list',
      holders: ['organisation-service', 'workspace-service', 'workspace-user'],
    },
    { scope: 'organisation_integrations.create', holders: ['organisation-service'] },
    { scope: 'workspaces.create', holders: ['organisation-service'] },
    { scope: 'completions.delete', holders: [] },
    { scope: 'provider.update', holders: [] },
    { scope: 'constructor', holders: [] },
  ])('$scope may be given to $holders', ({ scope, holders }) => {
    expect(API_KEY_TYPES.filter((type) => scopeProblem(scope, type) === undefined)).toEqual(holders);
  });

  test('has one canonical spelling', () => {
    expect(canonicalScope('virtual_keys:list')).toBe('virtual_keys.list');
    for (const scope of SCOPES.keys()) expect(scope).toMatch(/^[a-z_]+\.[a-z]+$/);
  });
});
