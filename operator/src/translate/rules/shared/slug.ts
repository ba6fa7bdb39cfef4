/** Slugs of managed providers: VirtualKeys and Providers share the names of a workspace. */
import type { Provider, VirtualKey } from '@gatehouse/crds/kinds';
import type { Lookups, ObjectScope, WorldSettings } from '../../types/index.ts';
import { byAge, conflicted, type Finding } from '../../types/index.ts';

/** The conflict of an object with one of the other Kind that has the same slug and is older. */
export function slugConflict(resource: Provider | VirtualKey, namespace: string, view: Lookups): Finding[] {
  const kind = resource.kind === 'Provider' ? 'VirtualKey' : 'Provider';
  const other = view.find(kind, namespace, resource.metadata.name);
  // Objects in files have no age: the VirtualKey comes first.
  const later = other !== undefined && (byAge(other, resource) || (kind === 'VirtualKey' ? -1 : 1)) < 0;
  return later ? [conflicted(['metadata', 'name'], `a ${kind} of the same name came first`)] : [];
}

/**
 * Grants name an Integration or, where the organisation has none of that name, a VirtualKey, which is an Integration and its
 * Provider in one.
 */
export function virtualKeyGrants(name: string, { settings }: ObjectScope, view: Lookups): readonly string[] {
  return isIntegration(name, settings, view) ? [] : view.grantsOf(name);
}

/** Whether `@slug` names a managed provider that requests of the workspace may use. */
export function isManagedSlug(
  slug: string,
  workspace: string,
  { namespace, settings }: ObjectScope,
  view: Lookups,
): boolean {
  const { organisationNamespace } = settings;
  if (view.exists('VirtualKey', namespace, slug)) return true;
  if (view.exists('Provider', namespace, slug)) return true;
  if (view.exists('VirtualKey', organisationNamespace, slug)) {
    return !isIntegration(slug, settings, view) && view.isGranted(slug, workspace);
  }
  const shared = view.find('Provider', organisationNamespace, slug);
  return shared !== undefined && view.isGranted(shared.spec.integrationRef.name, workspace);
}

const isIntegration = (name: string, { organisationNamespace }: WorldSettings, view: Lookups): boolean =>
  view.exists('Integration', organisationNamespace, name);
