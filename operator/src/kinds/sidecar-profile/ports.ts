/** What the controller of SidecarProfiles reads. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import type { KindRef, KubeObject } from '../../runtime/index.ts';
import type { SidecarView } from '../../translate/index.ts';

/** A profile as it is on the API server: not validated. */
export interface SidecarProfileObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** The cached part of a pod with the label of a profile. */
export interface SidecarPod extends KubeObject {
  readonly spec?:
    | {
        readonly hostNetwork?: boolean | undefined;
        readonly initContainers?: readonly { readonly name: string }[] | undefined;
      }
    | undefined;
  readonly status?: { readonly phase?: string | undefined } | undefined;
}

export interface SidecarCopy extends KubeObject {
  readonly type?: string | undefined;
  readonly data?: Readonly<Record<string, string>> | undefined;
  readonly binaryData?: Readonly<Record<string, string>> | undefined;
}

const core = <T extends KubeObject>(kind: string, plural: string): KindRef<T> => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});

export const FIELD_MANAGER = 'gatehouse-operator';

export const PODS = core<SidecarPod>('Pod', 'pods');
export const COPY_CONFIG_MAPS = core<SidecarCopy>('ConfigMap', 'configmaps');
export const COPY_SECRETS = core<SidecarCopy>('Secret', 'secrets');

/** The part of the sidecar view that it reads. */
export interface ProfileView extends Pick<SidecarView, 'workspaceOf' | 'snapshotFor' | 'wantsSidecars' | 'areRetired'> {
  /** The fleet that the sidecars of a profile pass requests on to; undefined: not known yet. */
  fleetOf(profile: SidecarProfile, workspace: string): ProfileFleet | undefined;
}

export type ProfileFleet =
  | { readonly kind: 'found'; readonly name: string }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'refused';
      readonly reason: 'RefNotFound' | 'RefNotPermitted' | 'AccessDenied' | 'Pending';
      readonly message: string;
    };
