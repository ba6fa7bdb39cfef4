/** What webhooks, snapshot service and the controller of SidecarProfiles ask of the last translation. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import type { SidecarView } from '../kinds/sidecar-profile/index.ts';
import type { Translated, Translations } from '../program/index.ts';
import type { KubeObject, Store } from '../runtime/index.ts';
import { ownersIn, type SidecarSnapshot, sidecarSnapshot } from '../translate/index.ts';
import type { InjectionView, ValidationView } from '../webhook/index.ts';

export interface OperatorViewOptions {
  readonly translations: Pick<Translations, 'latest'>;
  readonly namespaces: Pick<Store<KubeObject>, 'get'>;
  readonly fleets: Pick<Store<KubeObject>, 'get'>;
}

export type OperatorView = SidecarView & InjectionView & ValidationView;

/** What is worked out once per translation. */
interface Digest {
  readonly of: Translated;
  readonly owners: ReadonlyMap<string, string>;
  readonly profiles: ReadonlyMap<string, readonly SidecarProfile[]>;
  readonly snapshots: Map<string, SidecarSnapshot | undefined>;
}

const NONE: readonly SidecarProfile[] = [];

export function createOperatorView({ translations, namespaces, fleets }: OperatorViewOptions): OperatorView {
  let digest: Digest | undefined;
  const now = (): Digest | undefined => {
    const { latest } = translations;
    if (latest !== undefined && digest?.of !== latest) digest = digestOf(latest);
    return digest;
  };
  const known = new Map<string, SidecarSnapshot>();
  const snapshotOf = (workspace: string): SidecarSnapshot | undefined => {
    const current = now();
    if (current === undefined) return undefined;
    if (!current.snapshots.has(workspace)) current.snapshots.set(workspace, makeSnapshot(current, workspace));
    const made = current.snapshots.get(workspace);
    const before = known.get(workspace);
    if (made === undefined) known.delete(workspace);
    else if (before?.version !== made.version) known.set(workspace, made);
    return known.get(workspace);
  };
  return {
    snapshotOf,
    workspaceOf: (namespace) => now()?.owners.get(namespace),
    profilesIn: (namespace) => now()?.profiles.get(namespace) ?? NONE,
    fleetExists: (namespace, name) => fleets.get(`${namespace}/${name}`) !== undefined,
    translatedWorld: () => translations.latest,
    isTerminating: (namespace) => typeof namespaces.get(namespace)?.metadata.deletionTimestamp === 'string',
  };
}

function digestOf(latest: Translated): Digest {
  const profiles = new Map<string, SidecarProfile[]>();
  latest.translation.memo.items.get('SidecarProfile')?.forEach(({ source: { resource } }) => {
    if (resource?.kind !== 'SidecarProfile') return;
    const { namespace = '' } = resource.metadata;
    profiles.set(namespace, [...(profiles.get(namespace) ?? []), resource]);
  });
  return { of: latest, owners: ownersIn(latest.translation), profiles, snapshots: new Map() };
}

function makeSnapshot({ of, owners, profiles }: Digest, workspace: string): SidecarSnapshot | undefined {
  const [namespace] = [...owners].find(([, owner]) => owner === workspace) ?? [];
  const own = namespace === undefined ? undefined : profiles.get(namespace);
  return own === undefined ? undefined : sidecarSnapshot(of.translation.snapshot, workspace, own);
}
