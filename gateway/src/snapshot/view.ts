import type { CheckPhase } from '@gatehouse/crds/guardrails';
import { type Catalogue, createPriceBook, type PriceBook } from '../cost/index.ts';
import type {
  GuardrailRecord,
  IssuerRecord,
  KeyRecord,
  ManagedProvider,
  OrganisationRecord,
  PodsOfNamespace,
  SavedConfig,
  SidecarRecord,
  Workload,
  WorkspaceRecord,
} from './compiled-entries.ts';
import { type DefaultGuardrails, defaultGuardrailsOf, guardrailOf } from './guardrails.ts';
import type { PolicyRecord } from './policies.ts';
import { createPromptLibrary, type PromptLibrary } from './prompts.ts';
import { ORGANISATION, type Tables } from './tables.ts';

/** Who names a config or guardrail of a request: the caller or its workspace, or the organisation. */
export type NamedBy = 'workspace' | 'organisation';

/** The Snapshot as one request sees it; immutable. */
export interface SnapshotView {
  readonly version: number;
  readonly organisation: OrganisationRecord;
  /** By the SHA-256 of the key, lower-case hex. */
  key(sha256: string): KeyRecord | undefined;
  /** By the id of the ApiKey; the cost is the number of keys. */
  keyById(id: string): { readonly record: KeyRecord; readonly sha256: string } | undefined;
  workspace(name: string): WorkspaceRecord | undefined;
  /** By the name of the SidecarProfile. */
  sidecar(profile: string): SidecarRecord | undefined;
  /** By the `iss` claim. */
  issuer(iss: string): IssuerRecord | undefined;
  issuers(): readonly IssuerRecord[];
  /** What workspaces say of a ServiceAccount: more than one where several name it. */
  workloads(namespace: string, serviceAccount: string): readonly Workload[];
  /** What workspaces say of all pods of a namespace: more than one where several claim it. */
  pods(namespace: string): readonly PodsOfNamespace[];
  /** Looked up in the workspace, then in the organisation as far as it is granted. */
  provider(workspace: string, slug: string): ManagedProvider | undefined;
  /** Looked up in the workspace, then in the organisation; withheld configs are found only when the organisation names them. */
  config(workspace: string, slug: string, namedBy?: NamedBy): SavedConfig | undefined;
  /** The slugs of the configs that `config` finds, those of the workspace first. */
  configSlugs(workspace: string, namedBy?: NamedBy): readonly string[];
  /** Looked up in the workspace, then in the organisation; the other way round where the organisation names it. */
  guardrail(workspace: string, slug: string, namedBy?: NamedBy): GuardrailRecord | undefined;
  /** The same object for all requests of a workspace. */
  defaultHooks(workspace: string, phase: CheckPhase): DefaultGuardrails;
  /** Every managed provider the workspace may use, its own first. */
  providers(workspace: string): readonly ManagedProvider[];
  /** The policies that hold in the workspace, those of the organisation first. */
  policies(workspace: string): readonly PolicyRecord[];
  readonly prices: PriceBook;
  readonly prompts: PromptLibrary;
}

const NO_WORKLOADS: readonly Workload[] = [];

/** By `namespace/name` of the ServiceAccount. */
function indexWorkloads(workspaces: readonly WorkspaceRecord[]): ReadonlyMap<string, readonly Workload[]> {
  const all = workspaces.flatMap(({ name, workloadIdentities = [] }) =>
    workloadIdentities.map((identity): Workload => ({ ...identity, workspace: name })),
  );
  return Map.groupBy(all, ({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`);
}

const NO_PODS: readonly PodsOfNamespace[] = [];

function indexPods(workspaces: readonly WorkspaceRecord[]): ReadonlyMap<string, readonly PodsOfNamespace[]> {
  const all = workspaces.flatMap(({ name, sidecarIdentity }): readonly PodsOfNamespace[] =>
    sidecarIdentity === undefined ? [] : [{ ...sidecarIdentity, workspace: name }],
  );
  return Map.groupBy(all, ({ namespace }) => namespace);
}

/** The view of immutable tables. */
export function toView(
  tables: Tables,
  version: number,
  organisation: OrganisationRecord,
  catalogue: Catalogue,
): SnapshotView {
  const { keys, workspaces, sidecars, issuers, providers, configs, guardrails, policies, prices } = tables;
  let workloads: ReadonlyMap<string, readonly Workload[]> | undefined;
  let pods: ReadonlyMap<string, readonly PodsOfNamespace[]> | undefined;
  const granted = (workspace: string) => (record: ManagedProvider) => isGranted(record, workspace);
  return {
    version,
    organisation,
    key: (sha256) => keys.get(sha256),
    keyById: (id) => {
      const found = keys.find((record) => record.id === id);
      return found && { sha256: found[0], record: found[1] };
    },
    workspace: (name) => workspaces.get(name),
    sidecar: (profile) => sidecars.get(profile),
    issuer: (iss) => issuers.get(iss),
    issuers: () => issuers.values(),
    workloads: (namespace, serviceAccount) => {
      workloads ??= indexWorkloads(workspaces.values());
      return workloads.get(`${namespace}/${serviceAccount}`) ?? NO_WORKLOADS;
    },
    pods: (namespace) => {
      pods ??= indexPods(workspaces.values());
      return pods.get(namespace) ?? NO_PODS;
    },
    provider: (workspace, slug) => {
      const own = providers.get(workspace)?.get(slug);
      if (own !== undefined) return own;
      const shared = providers.get(ORGANISATION)?.get(slug);
      return shared !== undefined && isGranted(shared, workspace) ? shared : undefined;
    },
    config: (workspace, slug, namedBy = 'workspace') => {
      const own = configs.get(workspace)?.get(slug);
      if (own !== undefined) return own;
      const shared = configs.get(ORGANISATION)?.get(slug);
      return shared !== undefined && isNameable(shared, namedBy) ? shared : undefined;
    },
    configSlugs: (workspace, namedBy = 'workspace') => {
      const own = [...(configs.get(workspace)?.keys() ?? [])];
      const shared = [...(configs.get(ORGANISATION)?.values() ?? [])].filter((config) => isNameable(config, namedBy));
      return [...new Set([...own, ...shared.map(({ slug }) => slug)])];
    },
    guardrail: (workspace, slug, namedBy = 'workspace') => {
      const first = namedBy === 'organisation' ? guardrailOf(guardrails, ORGANISATION, slug) : undefined;
      return first ?? guardrailOf(guardrails, workspace, slug);
    },
    defaultHooks: defaultGuardrailsOf({ guardrails, workspaces }, organisation),
    providers: (workspace) => {
      const own = [...(providers.get(workspace)?.values() ?? [])];
      const shared = [...(providers.get(ORGANISATION)?.values() ?? [])].filter(granted(workspace));
      return [...own, ...shared.filter(({ slug }) => !providers.get(workspace)?.has(slug))];
    },
    policies: policiesOf(policies),
    prices: createPriceBook(prices, catalogue),
    prompts: createPromptLibrary(tables),
  };
}

const NO_POLICIES: readonly PolicyRecord[] = [];

/** Lists are made once for each workspace that has requests. */
function policiesOf(policies: Tables['policies']): SnapshotView['policies'] {
  const shared = [...(policies.get(ORGANISATION)?.values() ?? NO_POLICIES)];
  const lists = new Map<string, readonly PolicyRecord[]>();
  return (workspace) => {
    const known = lists.get(workspace);
    if (known !== undefined) return known;
    const own = policies.get(workspace)?.values() ?? NO_POLICIES;
    const list = [...shared, ...own];
    lists.set(workspace, list.length === 0 ? NO_POLICIES : list);
    return list;
  };
}

const isGranted = ({ grants }: ManagedProvider, workspace: string): boolean => grants.has('*') || grants.has(workspace);

const isNameable = ({ withheld }: SavedConfig, namedBy: NamedBy): boolean => namedBy === 'organisation' || !withheld;
