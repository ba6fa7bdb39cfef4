/** What webhooks, snapshot service and the SidecarProfile controller read from the latest translation. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import { type FleetObject, type FleetSettings, fleetOfSidecars } from '../kinds/gateway-fleet/index.ts';
import type { ProfileFleet, SidecarPod } from '../kinds/sidecar-profile/index.ts';
import { DEFAULT_ACCOUNT, issuerUnread } from '../rbac.ts';
import type { Retirement } from '../retirement/index.ts';
import type { KubeObject, Leader, Store } from '../runtime/index.ts';
import {
  createSidecarView,
  EMPTY_SNAPSHOT,
  INJECTION_LABEL,
  type SidecarSnapshot,
  type SidecarView,
  type WorldSettings,
} from '../translate/index.ts';
import { type InjectionView, USER_RANGE_ANNOTATION, type ValidationView } from '../webhook/index.ts';
import type { KindStores, Translations } from '../world/index.ts';

export interface OperatorViewOptions {
  readonly translations: Pick<Translations, 'latest'>;
  readonly namespaces: Pick<Store<KubeObject>, 'get'>;
  readonly retirement: Pick<Retirement, 'isOn'>;
  readonly sidecarPods: Pick<Store<SidecarPod, 'namespace'>, 'indexed'>;
  readonly kinds: KindStores;
  readonly leader: Pick<Leader, 'leads'>;
  readonly fleets: { readonly fleets: Pick<Store<FleetObject>, 'get'> };
  readonly settings: Pick<FleetSettings, 'fleetNamespaces'>;
}

export interface SidecarFleets {
  /** The fleet that the sidecars of a profile pass requests on to, if it can know them; undefined before the first translation. */
  fleetOf(profile: SidecarProfile, workspace: string): ProfileFleet | undefined;
}

export interface SidecarAdmission {
  /**
   * Whether a namespace is labelled for injection, or still has pods with a sidecar, which then get an empty Snapshot.
   */
  admitsSidecars(namespace: string): boolean;
  /**
   * Whether a stream may start with the Snapshot. Not on a replica that lacks something of the workspace, unless it leads or the
   * leader has published the same: it would replace better content of another replica or of the mounted copy.
   */
  startsWith(namespace: string, snapshot: SidecarSnapshot): boolean;
}

export type OperatorView = SidecarView & InjectionView & ValidationView & SidecarAdmission & SidecarFleets;

export function createOperatorView(options: OperatorViewOptions): OperatorView {
  const { translations, namespaces, retirement, sidecarPods, kinds, leader, settings } = options;
  const { fleets } = options.fleets;
  const sidecars = createSidecarView(
    () => translations.latest,
    () => retirement.isOn,
    (profile, workspace, world) => {
      const found = fleetOfSidecars(profile, workspace, { fleets, world, settings });
      return found.kind === 'found' ? found.address : undefined;
    },
  );
  // Tenants cannot write statuses.
  const isPublished = (namespace: string, { version }: SidecarSnapshot): boolean =>
    sidecars
      .profilesIn(namespace)
      .map(({ metadata: { name } }) => kinds.get('SidecarProfile')?.get(`${namespace}/${name}`))
      .some((profile) => profile?.status?.['snapshotVersion'] === version);
  return {
    ...sidecars,
    startsWith: (namespace, snapshot) =>
      snapshot === EMPTY_SNAPSHOT ||
      leader.leads ||
      !sidecars.isPartlyRead(namespace) ||
      isPublished(namespace, snapshot),
    fleetOf: (profile, workspace) => {
      const world = translations.latest?.world;
      return world && ofKnownPods(fleetOfSidecars(profile, workspace, { fleets, world, settings }), world.settings);
    },
    translatedWorld: () => translations.latest,
    admitsSidecars: (namespace) =>
      namespaces.get(namespace)?.metadata.labels?.[INJECTION_LABEL] === 'enabled' ||
      sidecarPods.indexed('namespace', namespace).size > 0,
    userRangeOf: (namespace) => namespaces.get(namespace)?.metadata.annotations?.[USER_RANGE_ANNOTATION],
    isTerminating: (namespace) => typeof namespaces.get(namespace)?.metadata.deletionTimestamp === 'string',
  };
}

/** A fleet knows the pods of sidecars by the tokens of their ServiceAccounts. */
function ofKnownPods(fleet: ProfileFleet, { clusterIssuer, operatorAccount }: WorldSettings): ProfileFleet {
  if (fleet.kind !== 'found' || clusterIssuer !== undefined) return fleet;
  const message = `spec.fleetRef: the fleet refuses the tokens of pods with sidecars: ${issuerUnread(operatorAccount ?? DEFAULT_ACCOUNT)}`;
  return { kind: 'refused', reason: 'AccessDenied', message };
}
