/** What the sidecar's side of the operator reads of the world: always of the latest translation, and computed when asked for. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import { namespaceOf } from './last-good.ts';
import type { SidecarSnapshot } from './sidecar.ts';
import { createSidecarBook } from './sidecar-book.ts';
import type { Translation } from './translate.ts';
import type { World } from './world.ts';

export interface SidecarReaders {
  /** The workspace a namespace belongs to. */
  workspaceOf(namespace: string): string | undefined;
  /** The profiles of a namespace that count: of one that has become invalid, what it last said. */
  profilesIn(namespace: string): readonly SidecarProfile[];
  /**
   * What sidecars of a workspace are told: the same object as long as it is the same. Undefined before the first translation, and
   * for a workspace without a profile.
   */
  snapshotOf(workspace: string): SidecarSnapshot | undefined;
}

export interface Latest {
  readonly world: World;
  readonly translation: Translation;
}

interface Index {
  readonly of: Translation;
  readonly workspaces: ReadonlyMap<string, string>;
  readonly namespaces: ReadonlyMap<string, string>;
  readonly profiles: ReadonlyMap<string, readonly SidecarProfile[]>;
}

const NO_PROFILES: readonly SidecarProfile[] = [];

/** Readers over whatever translation is the latest when they are called. */
export function createSidecarReaders(latest: () => Latest | undefined): SidecarReaders {
  const book = createSidecarBook();
  let known: Index | undefined;
  const index = (): Index | undefined => {
    const translation = latest()?.translation;
    if (translation === undefined) return undefined;
    if (known?.of !== translation) known = indexOf(translation);
    return known;
  };
  const profilesIn = (namespace: string): readonly SidecarProfile[] => index()?.profiles.get(namespace) ?? NO_PROFILES;
  return {
    profilesIn,
    workspaceOf: (namespace) => index()?.workspaces.get(namespace),
    snapshotOf: (workspace) => {
      const now = index();
      const namespace = now?.namespaces.get(workspace);
      if (now === undefined || namespace === undefined) return undefined;
      const profiles = profilesIn(namespace);
      if (profiles.length === 0) return undefined;
      book.update(now.of.snapshot);
      return book.snapshotOf(workspace, profiles);
    },
  };
}

function indexOf(translation: Translation): Index {
  const { items } = translation.memo;
  const workspaces = new Map<string, string>();
  const namespaces = new Map<string, string>();
  items.get('Workspace')?.forEach(({ source: { resource, object }, outcome }) => {
    const namespace = resource?.kind === 'Workspace' ? resource.spec.namespace : namespaceOf(object);
    // Without entries it has not got what it asks for.
    if (namespace === undefined || outcome === undefined || outcome.entries.length === 0) return;
    workspaces.set(namespace, object.metadata.name);
    namespaces.set(object.metadata.name, namespace);
  });
  const profiles = new Map<string, SidecarProfile[]>();
  items.get('SidecarProfile')?.forEach(({ source: { resource } }) => {
    if (resource?.kind !== 'SidecarProfile') return;
    const { namespace = '' } = resource.metadata;
    profiles.set(namespace, [...(profiles.get(namespace) ?? []), resource]);
  });
  return { of: translation, workspaces, namespaces, profiles };
}
