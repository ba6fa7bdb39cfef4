import type { Lookups, ObjectScope } from '../../types/index.ts';
import { type Finding, missing } from '../../types/index.ts';

interface Naming extends Pick<ObjectScope, 'namespace' | 'settings'> {
  /** Whose word the reference is; null: the organisation's, which alone may put to use what it withholds. */
  readonly workspace: string | null;
}

/** Whether requests in the namespace will find the config. */
export function configRefFindings(
  view: Lookups,
  name: string | undefined,
  { namespace, settings, workspace }: Naming,
): Finding[] {
  if (name === undefined || view.exists('GatewayConfig', namespace, name)) return [];
  const isShared = view.exists('GatewayConfig', settings.organisationNamespace, name);
  if (isShared && (workspace === null || !view.isOrganisationOnly(name))) return [];
  const message =
    workspace === null
      ? `the GatewayConfig ${name} does not exist`
      : `the GatewayConfig ${name} does not exist, or is one of the organisation with credentials of its own`;
  return [missing(['spec', 'defaults', 'configRef', 'name'], message, 'serve')];
}
