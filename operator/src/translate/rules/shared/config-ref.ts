/**
 * References to saved configs. The gateway resolves them by name with every request, so that a missing one does not keep the
 * object from being served.
 */
import type { Lookups, ObjectScope } from '../../types/index.ts';
import { type Finding, missing, objectKey, verdictKey } from '../../types/index.ts';

interface Naming extends Pick<ObjectScope, 'namespace' | 'settings'> {
  /**
   * The workspace that owns the reference; null: the organisation, the only one that may use configs with the organisation's
   * credentials.
   */
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
  const homes = [namespace, settings.organisationNamespace];
  const refersTo = homes.map((home) => verdictKey('GatewayConfig', objectKey(home, name)));
  return [missing(['spec', 'defaults', 'configRef', 'name'], message, 'serve', refersTo)];
}
