/** What webhooks, snapshot service and the SidecarProfile controller read from the latest translation. */
import type { SidecarPod } from '../kinds/sidecar-profile/index.ts';
import type { Retirement } from '../retirement/index.ts';
import type { KubeObject, Leader, Store } from '../runtime/index.ts';
import {
  createSidecarView,
  EMPTY_SNAPSHOT,
  INJECTION_LABEL,
  type SidecarSnapshot,
  type SidecarView,
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

export type OperatorView = SidecarView & InjectionView & ValidationView & SidecarAdmission;

export function createOperatorView(options: OperatorViewOptions): OperatorView {
  const { translations, namespaces, retirement, sidecarPods, kinds, leader } = options;
  const sidecars = createSidecarView(
    () => translations.latest,
    () => retirement.isOn,
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
    translatedWorld: () => translations.latest,
    admitsSidecars: (namespace) =>
      namespaces.get(namespace)?.metadata.labels?.[INJECTION_LABEL] === 'enabled' ||
      sidecarPods.indexed('namespace', namespace).size > 0,
    userRangeOf: (namespace) => namespaces.get(namespace)?.metadata.annotations?.[USER_RANGE_ANNOTATION],
    isTerminating: (namespace) => typeof namespaces.get(namespace)?.metadata.deletionTimestamp === 'string',
  };
}
