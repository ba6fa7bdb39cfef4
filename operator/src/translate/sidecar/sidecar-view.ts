/** What the sidecar's side of the operator reads of the world: always of the latest translation, and computed when asked for. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import { namespaceOf } from '../rules/shared/index.ts';
import type { Translation } from '../translate.ts';
import { INJECTION_LABEL, type World } from '../types/index.ts';
import { NOTHING_TOLD, type SidecarSnapshot } from './sidecar-snapshot.ts';
import { createSidecarBook } from './snapshot-cache.ts';

export interface SidecarReaders {
  /** Whether an uninstallation has ended all sidecars. */
  areRetired(): boolean;
  /** The workspace a namespace belongs to. */
  workspaceOf(namespace: string): string | undefined;
  /** Whether the namespace wants sidecars; undefined before the first translation. */
  wantsSidecars(namespace: string): boolean | undefined;
  /** The profiles of a namespace that count: of one that has become invalid, what it last said. */
  profilesIn(namespace: string): readonly SidecarProfile[];
  /**
   * What sidecars in a namespace are told: the same object as long as it is the same, `NOTHING_TOLD` where it belongs to no
   * workspace, has no profile or does not want sidecars, and everywhere once they are retired. Undefined while nobody knows:
   * before the first translation, and where the object that would say it has not been valid since.
   */
  snapshotFor(namespace: string): SidecarSnapshot | undefined;
}

export interface Latest {
  readonly world: World;
  readonly translation: Translation;
}

interface Index {
  readonly of: Translation;
  readonly workspaces: ReadonlyMap<string, string>;
  readonly profiles: ReadonlyMap<string, readonly SidecarProfile[]>;
  /** Namespaces with a Workspace or a SidecarProfile of which nothing is known but that it is there. */
  readonly unreadable: Readonly<Record<'Workspace' | 'SidecarProfile', ReadonlySet<string>>>;
}

const NO_PROFILES: readonly SidecarProfile[] = [];

/** Readers over whatever translation is the latest when they are called. */
export function createSidecarReaders(
  latest: () => Latest | undefined,
  areRetired: () => boolean = () => false,
): SidecarReaders {
  const book = createSidecarBook();
  let known: Index | undefined;
  const index = (): Index | undefined => {
    const translation = latest()?.translation;
    if (translation === undefined) return undefined;
    if (known?.of !== translation) known = indexOf(translation);
    return known;
  };
  const profilesIn = (namespace: string): readonly SidecarProfile[] => index()?.profiles.get(namespace) ?? NO_PROFILES;
  const wantsSidecars = (namespace: string): boolean | undefined => {
    const world = latest()?.world;
    if (world === undefined || world.settings.consent === 'implied') return world && true;
    return world.namespaces.get(namespace)?.get(INJECTION_LABEL) === 'enabled';
  };
  const areOver = (namespace: string): boolean => areRetired() || wantsSidecars(namespace) === false;
  return {
    areRetired,
    profilesIn,
    wantsSidecars,
    workspaceOf: (namespace) => index()?.workspaces.get(namespace),
    snapshotFor: (namespace) => {
      const now = index();
      if (now === undefined) return undefined;
      const workspace = now.workspaces.get(namespace);
      if (areOver(namespace)) return NOTHING_TOLD;
      if (workspace === undefined) return now.unreadable.Workspace.has(namespace) ? undefined : NOTHING_TOLD;
      const profiles = profilesIn(namespace);
      if (profiles.length === 0) return now.unreadable.SidecarProfile.has(namespace) ? undefined : NOTHING_TOLD;
      book.update(now.of.snapshot);
      return book.snapshotOf(workspace, profiles);
    },
  };
}

function indexOf(translation: Translation): Index {
  const { items } = translation.memo;
  const unreadable = { Workspace: new Set<string>(), SidecarProfile: new Set<string>() };
  const workspaces = new Map<string, string>();
  items.get('Workspace')?.forEach(({ source: { resource, object }, outcome }) => {
    const namespace = resource?.kind === 'Workspace' ? resource.spec.namespace : namespaceOf(object);
    if (namespace === undefined) return;
    // Without entries it has not got what it asks for.
    if (outcome !== undefined && outcome.entries.length > 0) workspaces.set(namespace, object.metadata.name);
    else if (resource === undefined) unreadable.Workspace.add(namespace);
  });
  const profiles = new Map<string, SidecarProfile[]>();
  items.get('SidecarProfile')?.forEach(({ source: { resource, object } }) => {
    const { namespace = '' } = object.metadata;
    if (resource?.kind === 'SidecarProfile') profiles.set(namespace, [...(profiles.get(namespace) ?? []), resource]);
    else unreadable.SidecarProfile.add(namespace);
  });
  return { of: translation, workspaces, profiles, unreadable };
}
