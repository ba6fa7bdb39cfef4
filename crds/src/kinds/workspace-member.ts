import { z } from 'zod';
import { text } from '../schema/index.ts';
import { defineKind, statusOf } from './parts/index.ts';
import { WORKSPACE_ROLES } from './roles.ts';

const spec = z
  .strictObject({
    user: text('user is the person, as ApiKeys of people name it: an e-mail address, or an id of the directory.', 255)
      .min(1)
      .meta({ immutable: 'user cannot change; make another WorkspaceMember' }),
    role: z
      .enum(WORKSPACE_ROLES)
      .meta({ description: 'role is what the person may do in the workspace: admin, manager or member.' }),
  })
  .meta({ description: 'spec is the membership.' });

export const workspaceMember = defineKind({
  kind: 'WorkspaceMember',
  plural: 'workspacemembers',
  shortNames: ['gwmember'],
  summary: 'A person in a workspace, with a role: the keys of the person have no more rights than that.',
  spec,
  status: statusOf({}),
  columns: [
    { name: 'User', type: 'string', jsonPath: '.spec.user' },
    { name: 'Role', type: 'string', jsonPath: '.spec.role' },
  ],
});
