/** References to saved configs. The gateway resolves them by name with every request, so a missing one holds nothing back. */
import { type Finding, missing } from '../findings.ts';
import type { Lookups } from '../lookups.ts';
import type { Place } from './contract.ts';

/** Whether requests of the workspace (null: of the organisation's keys) will find the config. */
export function configRefFindings(
  view: Lookups,
  name: string | undefined,
  { namespace, settings }: Pick<Place, 'namespace' | 'settings'>,
): Finding[] {
  if (name === undefined) return [];
  const places = [namespace, settings.organisationNamespace];
  if (places.some((place) => view.exists('GatewayConfig', place, name))) return [];
  return [missing(['spec', 'defaults', 'configRef', 'name'], `the GatewayConfig ${name} does not exist`, 'serve')];
}
