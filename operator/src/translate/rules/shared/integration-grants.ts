/** Which workspaces may use an Integration of the organisation. */
import type { IntegrationAccess } from '@gatehouse/crds/kinds';
import { objectKey } from '../../types/index.ts';

/** Means every workspace, in a list of grants and in a grant for all. */
export const ALL_WORKSPACES = '*';

export interface IntegrationGrants {
  isGranted(integration: string, workspace: string): boolean;
  grantsOf(integration: string): readonly string[];
  grantFor(integration: string, workspace: string): string | undefined;
  accessesOf(integration: string): string;
  accessOf(integration: string, workspace: string): string | undefined;
}

interface IntegrationGrantsOptions {
  /** Every workspace, sorted. */
  readonly workspaces: readonly string[];
  /** Lists returned before, by Integration: an equal list is the same list. */
  readonly known: Map<string, readonly string[]>;
}

type ByWorkspace = Map<string, IntegrationAccess>;

const NOBODY: readonly string[] = [];

/** Reads the grants, oldest first: the first one for a pair counts. */
export function createIntegrationGrants(
  accesses: readonly IntegrationAccess[],
  { workspaces, known }: IntegrationGrantsOptions,
): IntegrationGrants {
  const book = new Map<string, ByWorkspace>();
  for (const access of accesses) {
    const { integrationRef, workspaceRef } = access.spec;
    const page: ByWorkspace = book.get(integrationRef.name) ?? new Map();
    book.set(integrationRef.name, page);
    const who = workspaceRef?.name ?? ALL_WORKSPACES;
    if (!page.has(who)) page.set(who, access);
  }
  return {
    isGranted: (integration, workspace) => isEnabled(book.get(integration), workspace),
    grantFor: (integration, workspace) => {
      const access = grantOf(book.get(integration), workspace);
      return access?.spec.enabled === true ? access.metadata.name : undefined;
    },
    accessesOf: (integration) => {
      const enabled = [...(book.get(integration)?.values() ?? [])].filter(({ spec }) => spec.enabled);
      return enabled.map(({ metadata }) => `${metadata.name} `).join('');
    },
    accessOf: (integration, workspace) => {
      const metadata = book.get(integration)?.get(workspace)?.metadata;
      return metadata === undefined ? undefined : objectKey(metadata.namespace, metadata.name);
    },
    grantsOf: (integration) => {
      const list = grantList(book.get(integration), workspaces);
      const before = known.get(integration);
      if (before?.join() === list.join()) return before;
      known.set(integration, list);
      return list;
    },
  };
}

const grantOf = (page: ByWorkspace | undefined, workspace: string): IntegrationAccess | undefined =>
  page?.get(workspace) ?? page?.get(ALL_WORKSPACES);

const isEnabled = (page: ByWorkspace | undefined, workspace: string): boolean =>
  grantOf(page, workspace)?.spec.enabled ?? false;

function grantList(page: ByWorkspace | undefined, workspaces: readonly string[]): readonly string[] {
  if (page === undefined) return NOBODY;
  const exceptions = [...page.values()].some(({ spec }) => spec.workspaceRef !== undefined && !spec.enabled);
  if (isEnabled(page, ALL_WORKSPACES) && !exceptions) return [ALL_WORKSPACES];
  return workspaces.filter((workspace) => isEnabled(page, workspace));
}
