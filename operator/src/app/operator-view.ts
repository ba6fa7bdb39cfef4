/** What webhooks, snapshot service and the SidecarProfile controller read from the latest translation. */
import type { SidecarPod } from '../kinds/sidecar-profile/index.ts';
import type { Retirement } from '../retirement/index.ts';
import type { KubeObject, Store } from '../runtime/index.ts';
import { createSidecarView, INJECTION_LABEL, type SidecarView } from '../translate/index.ts';
import type { InjectionView, ValidationView } from '../webhook/index.ts';
import type { Translations } from '../world/index.ts';

export interface OperatorViewOptions {
  readonly translations: Pick<Translations, 'latest'>;
  readonly namespaces: Pick<Store<KubeObject>, 'get'>;
  readonly retirement: Pick<Retirement, 'isOn'>;
  readonly sidecarPods: Pick<Store<SidecarPod, 'namespace'>, 'indexed'>;
}

export interface SidecarAdmission {
  /**
   * Whether a namespace is labelled for injection, or still has pods with a sidecar, which then get an empty Snapshot.
   */
  admitsSidecars(namespace: string): boolean;
}

export type OperatorView = SidecarView & InjectionView & ValidationView & SidecarAdmission;

export function createOperatorView(options: OperatorViewOptions): OperatorView {
  const { translations, namespaces, retirement, sidecarPods } = options;
  return {
    ...createSidecarView(
      () => translations.latest,
      () => retirement.isOn,
    ),
    translatedWorld: () => translations.latest,
    admitsSidecars: (namespace) =>
      namespaces.get(namespace)?.metadata.labels?.[INJECTION_LABEL] === 'enabled' ||
      sidecarPods.indexed('namespace', namespace).size > 0,
    isTerminating: (namespace) => typeof namespaces.get(namespace)?.metadata.deletionTimestamp === 'string',
  };
}
