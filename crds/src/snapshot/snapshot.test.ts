import { describe, expect, test } from 'vitest';
import { ENTRY_BODIES, entryId, isReadable, SCHEMA_VERSION, SECRET_ENTRY_KINDS } from './index.ts';

describe('a document', () => {
  const { major, minor } = SCHEMA_VERSION;
  test.for([
    { rule: 'of this version', version: { major, minor }, want: true },
    { rule: 'of a newer minor version', version: { major, minor: minor + 7 }, want: true },
    { rule: 'of a newer major version', version: { major: major + 1, minor: 0 }, want: false },
    { rule: 'of an older major version', version: { major: major - 1, minor }, want: false },
  ])('$rule is readable: $want', ({ version, want }) => {
    expect(isReadable(version)).toBe(want);
  });
});

describe('an entry', () => {
  test.for([
    { kind: 'config', workspace: 'team-a', want: 'config/team-a/main' },
    { kind: 'config', workspace: null, want: 'config//main' },
  ] as const)('of workspace $workspace has the id $want', ({ kind, workspace, want }) => {
    expect(entryId(kind, workspace, 'main')).toBe(want);
  });

  test('keeps members that a newer minor version has added', () => {
    expect(ENTRY_BODIES.credential.parse({ fields: { api_key: 'x' }, rotatedAt: 'later' })).toHaveProperty('rotatedAt');
  });

  test('with secrets is of a secret kind', () => {
    expect([...SECRET_ENTRY_KINDS].sort()).toEqual(['credential', 'key']);
  });
});
