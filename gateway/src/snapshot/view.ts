import type {
  KeyRecord,
  ManagedProvider,
  OrganisationRecord,
  SavedConfig,
  SidecarRecord,
  WorkspaceRecord,
} from './records.ts';

/** What one request sees: a Snapshot never changes once it serves. */
export interface SnapshotView {
  readonly version: number;
  readonly organisation: OrganisationRecord;
  /** By the SHA-256 of the key, lower-case hex. */
  key(sha256: string): KeyRecord | undefined;
  workspace(name: string): WorkspaceRecord | undefined;
  /** By the name of the SidecarProfile. */
  sidecar(profile: string): SidecarRecord | undefined;
  /** In the workspace first, then in the organisation as far as it is granted (DESIGN section 4). */
  provider(workspace: string, slug: string): ManagedProvider | undefined;
  /** In the workspace first, then in the organisation. */
  config(workspace: string, slug: string): SavedConfig | undefined;
  /** The slugs of the configs that `config` finds, own ones first. */
  configSlugs(workspace: string): readonly string[];
  /** Every managed provider the workspace may use, own ones first. */
  providers(workspace: string): readonly ManagedProvider[];
}

type Scoped<T> = Map<string, Map<string, T>>;
const ORGANISATION = '';

/** Collects records and freezes them into a view. */
export class SnapshotIndex {
  readonly #keys = new Map<string, KeyRecord>();
  readonly #workspaces = new Map<string, WorkspaceRecord>();
  readonly #providers: Scoped<ManagedProvider> = new Map();
  readonly #configs: Scoped<SavedConfig> = new Map();
  readonly #sidecars = new Map<string, SidecarRecord>();

  addKey(record: KeyRecord, hashes: readonly string[]): void {
    for (const hash of hashes) this.#keys.set(hash, record);
  }

  addWorkspace(record: WorkspaceRecord): void {
    this.#workspaces.set(record.name, record);
  }

  addSidecar(record: SidecarRecord): void {
    this.#sidecars.set(record.profile, record);
  }

  addProvider(record: ManagedProvider): void {
    scope(this.#providers, record.workspace).set(record.slug, record);
  }

  addConfig(record: SavedConfig): void {
    scope(this.#configs, record.workspace).set(record.slug, record);
  }

  toView(version: number, organisation: OrganisationRecord): SnapshotView {
    const granted = (workspace: string) => (record: ManagedProvider) => isGranted(record, workspace);
    return {
      version,
      organisation,
      key: (sha256) => this.#keys.get(sha256),
      workspace: (name) => this.#workspaces.get(name),
      sidecar: (profile) => this.#sidecars.get(profile),
      provider: (workspace, slug) => {
        const own = this.#providers.get(workspace)?.get(slug);
        if (own !== undefined) return own;
        const shared = this.#providers.get(ORGANISATION)?.get(slug);
        return shared !== undefined && isGranted(shared, workspace) ? shared : undefined;
      },
      config: (workspace, slug) =>
        this.#configs.get(workspace)?.get(slug) ?? this.#configs.get(ORGANISATION)?.get(slug),
      configSlugs: (workspace) => {
        const scopes = [this.#configs.get(workspace), this.#configs.get(ORGANISATION)];
        return [...new Set(scopes.flatMap((known) => [...(known?.keys() ?? [])]))];
      },
      providers: (workspace) => {
        const own = [...(this.#providers.get(workspace)?.values() ?? [])];
        const shared = [...(this.#providers.get(ORGANISATION)?.values() ?? [])].filter(granted(workspace));
        return [...own, ...shared.filter(({ slug }) => !this.#providers.get(workspace)?.has(slug))];
      },
    };
  }
}

function scope<T>(scoped: Scoped<T>, workspace: string | null): Map<string, T> {
  const name = workspace ?? ORGANISATION;
  let inner = scoped.get(name);
  if (inner === undefined) {
    inner = new Map();
    scoped.set(name, inner);
  }
  return inner;
}

const isGranted = ({ grants }: ManagedProvider, workspace: string): boolean => grants.has('*') || grants.has(workspace);
