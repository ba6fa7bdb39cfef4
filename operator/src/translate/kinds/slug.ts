/** Slugs of managed providers: VirtualKeys and Providers share one name space per workspace (DESIGN section 4). */
import type { Provider, VirtualKey } from '@gatehouse/crds/kinds';
import { byAge } from '../age.ts';
import { conflicted, type Finding } from '../findings.ts';
import type { Lookups } from '../lookups.ts';

/** The conflict of an object with one of the other Kind that has its slug and came first. */
export function slugConflict(resource: Provider | VirtualKey, namespace: string, view: Lookups): Finding[] {
  const kind = resource.kind === 'Provider' ? 'VirtualKey' : 'Provider';
  const other = view.find(kind, namespace, resource.metadata.name);
  // Files know no age: there the VirtualKey comes first.
  const later = other !== undefined && (byAge(other, resource) || (kind === 'VirtualKey' ? -1 : 1)) < 0;
  return later ? [conflicted(['metadata', 'name'], `a ${kind} of the same name came first`)] : [];
}

/** The workspaces an organisation's VirtualKey is granted to: it is granted by name, like the Integration it replaces. */
export function virtualKeyGrants(name: string, view: Lookups): readonly string[] {
  const shadowed = view.find('Integration', view.organisationNamespace(), name) !== undefined;
  return shadowed ? [] : view.grantsOf(name);
}

/** Whether `@slug` names a managed provider that requests of the workspace may use. */
export function isManagedSlug(slug: string, namespace: string, workspace: string, view: Lookups): boolean {
  const organisation = view.organisationNamespace();
  if (view.find('VirtualKey', namespace, slug) !== undefined) return true;
  if (view.find('Provider', namespace, slug) !== undefined) return true;
  if (view.find('VirtualKey', organisation, slug) !== undefined) {
    return view.find('Integration', organisation, slug) === undefined && view.isGranted(slug, workspace);
  }
  const shared = view.find('Provider', organisation, slug);
  return shared !== undefined && view.isGranted(shared.spec.integrationRef.name, workspace);
}
