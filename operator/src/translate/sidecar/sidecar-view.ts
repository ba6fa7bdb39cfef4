/**
 * What webhook, snapshot service and the SidecarProfile controller read from the latest translation; computed on demand.
 */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import { requestedNamespace } from '../rules/shared/index.ts';
import type { Translation } from '../translate.ts';
import { isLabelledForInjection, type Verdict, type World } from '../types/index.ts';
import { EMPTY_SNAPSHOT, type FleetAddress, type SidecarSnapshot } from './sidecar-snapshot.ts';
import { createSidecarSnapshotCache } from './snapshot-cache.ts';

export interface SidecarView {
  /** Whether sidecars have been retired before an uninstallation. */
  areRetired(): boolean;
  /** The workspace that owns a namespace. */
  workspaceOf(namespace: string): string | undefined;
  /** Whether the namespace is labelled for injection; undefined before the first translation. */
  wantsSidecars(namespace: string): boolean | undefined;
  /** The served profiles of a namespace: of one that has become invalid, its last good content. */
  profilesIn(namespace: string): readonly SidecarProfile[];
  /**
   * The Snapshot for sidecars in a namespace; the same object as long as its content is the same. `EMPTY_SNAPSHOT` where the
   * namespace belongs to no workspace, has no profile or is not labelled for injection, and everywhere after a retirement.
   * Undefined while it is unknown: before the first translation, and where the object that decides it has never been valid
   * since the start.
   */
  snapshotFor(namespace: string): SidecarSnapshot | undefined;
  /**
   * Whether this process has not read, or may not read, something that the entries of the workspace there are made of. Another
   * replica may have.
   */
  isPartlyRead(namespace: string): boolean;
}

export interface Latest {
  readonly world: World;
  readonly translation: Translation;
}

/** The fleet that serves the workspace and that the profile means. */
export type FleetForProfile = (profile: SidecarProfile, workspace: string, world: World) => FleetAddress | undefined;

interface Index {
  readonly of: Translation;
  readonly workspaces: ReadonlyMap<string, string>;
  readonly profiles: ReadonlyMap<string, readonly SidecarProfile[]>;
  /** Namespaces with a Workspace or a SidecarProfile that has never been valid since the start. */
  readonly unreadable: Readonly<Record<'Workspace' | 'SidecarProfile', ReadonlySet<string>>>;
}

const NO_PROFILES: readonly SidecarProfile[] = [];

/** A view over the translation that is the latest when a member is called. */
export function createSidecarView(
  latest: () => Latest | undefined,
  areRetired: () => boolean = () => false,
  fleetFor: FleetForProfile = () => undefined,
): SidecarView {
  const book = createSidecarSnapshotCache();
  const partlyRead = new WeakMap<Translation, ReadonlySet<Verdict['workspace']>>();
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
    return world && isLabelledForInjection(namespace, world);
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
      if (areOver(namespace)) return EMPTY_SNAPSHOT;
      if (workspace === undefined) return now.unreadable.Workspace.has(namespace) ? undefined : EMPTY_SNAPSHOT;
      const profiles = profilesIn(namespace);
      if (profiles.length === 0) return now.unreadable.SidecarProfile.has(namespace) ? undefined : EMPTY_SNAPSHOT;
      book.update(now.of.snapshot);
      const world = latest()?.world;
      const withFleet = profiles.map((profile) => ({ profile, fleet: world && fleetFor(profile, workspace, world) }));
      return book.snapshotOf(workspace, withFleet);
    },
    isPartlyRead: (namespace) => {
      const now = index();
      const workspace = now?.workspaces.get(namespace);
      if (now === undefined || workspace === undefined) return false;
      const among =
        partlyRead.get(now.of) ?? new Set(now.of.verdicts.filter(isUnread).map((verdict) => verdict.workspace));
      partlyRead.set(now.of, among);
      return among.has(workspace);
    },
  };
}

/** Sidecars get no keys, and check no tokens. */
const isUnread = ({ kind, issues }: Verdict): boolean =>
  kind !== 'ApiKey' &&
  kind !== 'Workspace' &&
  issues.some(({ reason }) => reason === 'AccessDenied' || reason === 'Pending');

function indexOf(translation: Translation): Index {
  const { states } = translation.memo;
  const unreadable = { Workspace: new Set<string>(), SidecarProfile: new Set<string>() };
  const workspaces = new Map<string, string>();
  states.get('Workspace')?.forEach(({ parsed: { resource, object }, translated }) => {
    const namespace = resource?.kind === 'Workspace' ? resource.spec.namespace : requestedNamespace(object);
    if (namespace === undefined) return;
    // A Workspace without entries does not own its namespace.
    if (translated !== undefined && translated.entries.length > 0) workspaces.set(namespace, object.metadata.name);
    else if (resource === undefined) unreadable.Workspace.add(namespace);
  });
  const profiles = new Map<string, SidecarProfile[]>();
  states.get('SidecarProfile')?.forEach(({ parsed: { resource, object } }) => {
    const { namespace = '' } = object.metadata;
    if (resource?.kind === 'SidecarProfile') profiles.set(namespace, [...(profiles.get(namespace) ?? []), resource]);
    else unreadable.SidecarProfile.add(namespace);
  });
  return { of: translation, workspaces, profiles, unreadable };
}
