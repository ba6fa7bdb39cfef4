import { z } from 'zod';
import { pattern, type Rule, text, withRules } from '../schema/index.ts';
import { defineKind, nameRef, statusOf } from './parts/index.ts';
import { isReservedGroup, RESERVED_GROUP } from './reserved-groups.ts';
import { WORKSPACE_ROLES } from './roles.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const groupFields = z.strictObject({
  id: pattern(UUID, 'a UUID in lower case', 36)
    .meta({ description: 'id is the id that the group has in the management API.' })
    .optional(),
  name: text('name is the display name of the group; it may come from the directory later.', 255).optional(),
});

const ID = '0e2b5f5c-8a53-4d3f-9a55-8f1a0c9c7f10';

const GROUP_RULES: readonly Rule<z.output<typeof groupFields>>[] = [
  {
    cel: 'has(self.id) != has(self.name)',
    message: 'exactly one of id and name is needed',
    holds: ({ id, name }) => (id === undefined) !== (name === undefined),
    valid: [{ id: ID }, { name: 'Platform' }],
    invalid: [{}, { id: ID, name: 'Platform' }],
  },
  {
    cel: `!has(self.name) || !self.name.matches('${RESERVED_GROUP.source}')`,
    message: 'names like ws-WORKSPACE-role-ROLE are reserved',
    at: 'name',
    holds: ({ name }) => name === undefined || !isReservedGroup(name),
    valid: [{ name: 'ws-a' }, { name: 'all-role-admins' }],
    invalid: [{ name: 'ws-team-a-role-admin' }],
  },
];

const fixed = (field: string) => ({ immutable: `${field} cannot change; make another ScimMapping` });

const spec = z
  .strictObject({
    group: withRules(groupFields, GROUP_RULES).meta({
      description: 'group is the group of the directory, by id or by name.',
      ...fixed('group'),
    }),
    workspaceRef: nameRef('workspaceRef names the Workspace that the people of the group become members of.').meta(
      fixed('workspaceRef'),
    ),
    role: z.enum(WORKSPACE_ROLES).meta({
      description: 'role is what they may do in the workspace: admin, manager or member.',
      ...fixed('role'),
    }),
  })
  .meta({ description: 'spec is the mapping.' });

export const scimMapping = defineKind({
  kind: 'ScimMapping',
  plural: 'scimmappings',
  shortNames: ['gwscim'],
  summary: 'Makes the people of a group of the directory members of a workspace, with a role.',
  spec,
  status: statusOf({}),
  columns: [
    { name: 'Group', type: 'string', jsonPath: '.spec.group.name' },
    { name: 'Group ID', type: 'string', jsonPath: '.spec.group.id' },
    { name: 'Workspace', type: 'string', jsonPath: '.spec.workspaceRef.name' },
    { name: 'Role', type: 'string', jsonPath: '.spec.role' },
  ],
});
