import { AUDIT_ACTIONS, type AuditAction } from '@gatehouse/crds/rest';

/** Operations whose last part is none of the actions, or another one than it says. */
export const OTHER_ACTIONS: ReadonlyMap<string, AuditAction> = new Map([
  ...(['log_exports.create', 'log_exports.start', 'log_exports.cancel'] as const).map(
    (operation) => [operation, 'export'] as const,
  ),
  ...(['prompts.fork', 'prompt_partials.fork'] as const).map((operation) => [operation, 'duplicate'] as const),
  ...(['scim_users.replace', 'scim_users.patch', 'scim_groups.replace', 'scim_groups.patch'] as const).map(
    (operation) => [operation, 'update'] as const,
  ),
  ['workspace_members.add', 'create'],
  ['workspace_members.remove', 'delete'],
  ['integration_models.delete_custom', 'delete'],
  ['prompts.label_version', 'publish'],
]);

/** What an operation does, in the words of audit records. */
export function actionOf(operation: string): AuditAction {
  const [, last] = operation.split('.');
  return OTHER_ACTIONS.get(operation) ?? AUDIT_ACTIONS.find((action) => action === last) ?? 'manage';
}
