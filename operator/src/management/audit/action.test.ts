import { expect, test } from 'vitest';
import { actionOf } from './index.ts';

test.for([
  ['configs.create', 'create'],
  ['workspace_members.remove', 'delete'],
  ['log_exports.create', 'export'],
  ['log_exports.start', 'export'],
  ['prompts.publish', 'publish'],
  ['prompts.fork', 'duplicate'],
  ['api_keys.rotate', 'rotate'],
  ['scim_users.patch', 'update'],
  ['user_invites.accept', 'manage'],
  ['auth.logout', 'manage'],
  ['nothing', 'manage'],
] as const)('%s is the action %s', ([operation, action]) => {
  expect(actionOf(operation)).toBe(action);
});
