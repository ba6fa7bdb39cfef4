/** Workspaces as the management API names them: by slug or by UUID. */
import type { Caller } from '../callers/index.ts';
import { RestError } from '../http/rest-error.ts';
import type { ResourceStore, StoredObject } from '../store/index.ts';

/** Where the objects of a workspace, or of the organisation, are. */
export interface Home {
  /** Undefined: the organisation. */
  readonly workspace: WorkspaceHome | undefined;
  readonly namespace: string;
}

export interface WorkspaceHome {
  /** UUID. */
  readonly id: string;
  readonly slug: string;
}

export interface Tenancy {
  /** UUID of the organisation, which is the installation. */
  readonly organisationId: string;
  /** The organisation's own home. */
  readonly organisation: Home;
  /**
   * The workspace a call is about: that of the key, or the one a key of the organisation names. Throws RestError INVALID without
   * one, ABSENT for one that is unknown or belongs to others.
   */
  workspaceOf(caller: Caller, named: string | undefined): Promise<Home>;
  /** The homes whose objects the caller may see: its workspace, or all of them and the organisation's. */
  visibleTo(caller: Caller): Promise<readonly Home[]>;
}

export interface TenancyOptions {
  readonly store: Pick<ResourceStore, 'list'>;
  readonly organisationId: string;
  /** The namespace of objects of the organisation. */
  readonly organisationNamespace: string;
}

export function createTenancy({ store, organisationId, organisationNamespace }: TenancyOptions): Tenancy {
  const organisation: Home = { workspace: undefined, namespace: organisationNamespace };
  const homes = async (): Promise<readonly Home[]> => (await store.list('Workspace')).map(toHome);
  return {
    organisationId,
    organisation,
    workspaceOf: async ({ workspace: own }, named) => {
      const all = await homes();
      const wanted = named ?? own;
      if (wanted === undefined) {
        const message = 'a key of the organisation names the workspace that the call is about';
        throw new RestError('INVALID', { message: `workspace_id: ${message}`, param: 'workspace_id' });
      }
      const found = all.find(({ workspace }) => workspace?.slug === wanted || workspace?.id === wanted);
      if (found === undefined || (own !== undefined && found.workspace?.slug !== own)) {
        throw new RestError('ABSENT', { message: 'The workspace does not exist', param: 'workspace_id' });
      }
      return found;
    },
    visibleTo: async ({ workspace: own }) => {
      const all = await homes();
      return own === undefined ? [organisation, ...all] : all.filter(({ workspace }) => workspace?.slug === own);
    },
  };
}

const toHome = ({ meta, spec }: StoredObject<'Workspace'>): Home => ({
  workspace: { id: meta.uid, slug: meta.name },
  namespace: spec.namespace,
});
