/** What webhooks, snapshot service and the controller of SidecarProfiles ask of the last translation. */
import type { Translations } from '../program/index.ts';
import type { KubeObject, Store } from '../runtime/index.ts';
import { createSidecarReaders, type SidecarReaders } from '../translate/index.ts';
import type { InjectionView, ValidationView } from '../webhook/index.ts';

export interface OperatorViewOptions {
  readonly translations: Pick<Translations, 'latest'>;
  readonly namespaces: Pick<Store<KubeObject>, 'get'>;
}

export type OperatorView = SidecarReaders & InjectionView & ValidationView;

export function createOperatorView({ translations, namespaces }: OperatorViewOptions): OperatorView {
  return {
    ...createSidecarReaders(() => translations.latest),
    translatedWorld: () => translations.latest,
    isTerminating: (namespace) => typeof namespaces.get(namespace)?.metadata.deletionTimestamp === 'string',
  };
}
