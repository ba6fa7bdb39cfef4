/** References to saved configs. The gateway resolves them by name with every request, so a missing one holds nothing back. */
import { type Finding, missing } from '../findings.ts';
import type { Lookups } from '../lookups.ts';

/** Whether requests of the workspace (null: of the organisation's keys) will find the config. */
export function configRefFindings(
  view: Lookups,
  name: string | undefined,
  { namespace }: { readonly namespace: string },
): Finding[] {
  if (name === undefined) return [];
  const places = [namespace, view.organisationNamespace()];
  if (places.some((place) => view.find('GatewayConfig', place, name) !== undefined)) return [];
  return [missing(['spec', 'defaults', 'configRef', 'name'], `the GatewayConfig ${name} does not exist`, 'serve')];
}
