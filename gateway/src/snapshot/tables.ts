/** Records indexed by the names that requests use. */
import type { Template } from '@gatehouse/crds/prompts';
import type { ModelPrice } from '../cost/index.ts';
import { LayeredMap } from '../lib/layered-map.ts';
import type { Compiled } from './compile.ts';
import type {
  GuardrailRecord,
  IssuerRecord,
  KeyRecord,
  ManagedProvider,
  SavedConfig,
  SidecarRecord,
  WorkspaceRecord,
} from './compiled-entries.ts';
import type { PolicyRecord } from './policies.ts';
import {
  type CompiledLibraryEntry,
  type PartialRecord,
  type PromptContent,
  type PromptRecord,
  type VersionRecord,
  versionKey,
} from './prompt-records.ts';

export type Scope<T> = ReadonlyMap<string, T>;

/** Prompts and partials by workspace and slug, their versions by workspace and `versionKey`. */
export interface LibraryTables {
  readonly prompts: LayeredMap<Scope<PromptRecord>>;
  readonly promptVersions: LayeredMap<Scope<VersionRecord<PromptContent>>>;
  readonly partials: LayeredMap<Scope<PartialRecord>>;
  readonly partialVersions: LayeredMap<Scope<VersionRecord<Template>>>;
}

/** The records of one Snapshot; immutable. */
export interface Tables extends LibraryTables {
  /** By the SHA-256 of the key. */
  readonly keys: LayeredMap<KeyRecord>;
  readonly workspaces: LayeredMap<WorkspaceRecord>;
  /** By the name of the SidecarProfile. */
  readonly sidecars: LayeredMap<SidecarRecord>;
  /** By their `iss` claim. */
  readonly issuers: LayeredMap<IssuerRecord>;
  /** By workspace, then by slug. */
  readonly providers: LayeredMap<Scope<ManagedProvider>>;
  readonly configs: LayeredMap<Scope<SavedConfig>>;
  readonly guardrails: LayeredMap<Scope<GuardrailRecord>>;
  /** By workspace, then by id. */
  readonly policies: LayeredMap<Scope<PolicyRecord>>;
  /** By provider, then by model. */
  readonly prices: LayeredMap<Scope<ModelPrice>>;
}

/** The scope of the organisation's records. */
export const ORGANISATION = '';

export const NO_TABLES: Tables = {
  keys: new LayeredMap(),
  workspaces: new LayeredMap(),
  sidecars: new LayeredMap(),
  issuers: new LayeredMap(),
  providers: new LayeredMap(),
  configs: new LayeredMap(),
  guardrails: new LayeredMap(),
  policies: new LayeredMap(),
  prompts: new LayeredMap(),
  promptVersions: new LayeredMap(),
  partials: new LayeredMap(),
  partialVersions: new LayeredMap(),
  prices: new LayeredMap(),
};

/** Names that differ from those of the last full load. */
export const changedNames = (tables: Tables): number =>
  Object.values<{ readonly changed: number }>({ ...tables }).reduce((sum, { changed }) => sum + changed, 0);

type Changes<T> = Map<string, T | undefined>;

interface Place {
  readonly scope: string;
  readonly name: string;
}

const placeOf = ({ workspace, slug }: { readonly workspace: string | null; readonly slug: string }): Place => ({
  scope: workspace ?? ORGANISATION,
  name: slug,
});

const placeOfVersion = (record: VersionRecord<unknown>): Place => ({
  scope: record.workspace ?? ORGANISATION,
  name: versionKey(record),
});

/** Collects removals, then additions, and makes the tables that result. */
export class TablesBuilder {
  readonly #base: Tables;
  readonly #keys: Changes<KeyRecord> = new Map();
  readonly #workspaces: Changes<WorkspaceRecord> = new Map();
  readonly #sidecars: Changes<SidecarRecord> = new Map();
  readonly #issuers: Changes<IssuerRecord> = new Map();
  readonly #providers = new Map<string, Changes<ManagedProvider>>();
  readonly #configs = new Map<string, Changes<SavedConfig>>();
  readonly #guardrails = new Map<string, Changes<GuardrailRecord>>();
  readonly #policies = new Map<string, Changes<PolicyRecord>>();
  readonly #library = {
    prompts: new Map<string, Changes<PromptRecord>>(),
    promptVersions: new Map<string, Changes<VersionRecord<PromptContent>>>(),
    partials: new Map<string, Changes<PartialRecord>>(),
    partialVersions: new Map<string, Changes<VersionRecord<Template>>>(),
  };
  readonly #prices = new Map<string, Changes<ModelPrice>>();
  #isAmbiguous = false;

  constructor(base: Tables) {
    this.#base = base;
  }

  /** Two entries have the same name: the winner depends on their order, which an update does not know. */
  get isAmbiguous(): boolean {
    return this.#isAmbiguous;
  }

  remove(compiled: Compiled): void {
    this.#put(compiled, true);
  }

  add(compiled: Compiled): void {
    this.#put(compiled, false);
  }

  finish(): Tables {
    const { keys, workspaces, sidecars, issuers, providers, configs, guardrails, policies, prices } = this.#base;
    if (this.#base === NO_TABLES) return this.#finishFirst();
    return {
      keys: keys.with(this.#keys),
      workspaces: workspaces.with(this.#workspaces),
      sidecars: sidecars.with(this.#sidecars),
      issuers: issuers.with(this.#issuers),
      providers: providers.with(merge(providers, this.#providers)),
      configs: configs.with(merge(configs, this.#configs)),
      guardrails: guardrails.with(merge(guardrails, this.#guardrails)),
      policies: policies.with(merge(policies, this.#policies)),
      prices: prices.with(merge(prices, this.#prices)),
      ...this.#finishLibrary((base, changes) => base.with(changes)),
    };
  }

  #finishLibrary(
    apply: <T>(base: LayeredMap<Scope<T>>, changes: Map<string, Scope<T>>) => LayeredMap<Scope<T>>,
  ): LibraryTables {
    const { prompts, promptVersions, partials, partialVersions } = this.#base;
    const changes = this.#library;
    return {
      prompts: apply(prompts, merge(prompts, changes.prompts)),
      promptVersions: apply(promptVersions, merge(promptVersions, changes.promptVersions)),
      partials: apply(partials, merge(partials, changes.partials)),
      partialVersions: apply(partialVersions, merge(partialVersions, changes.partialVersions)),
    };
  }

  #finishFirst(): Tables {
    return {
      keys: new LayeredMap(withoutRemovals(this.#keys)),
      workspaces: new LayeredMap(withoutRemovals(this.#workspaces)),
      sidecars: new LayeredMap(withoutRemovals(this.#sidecars)),
      issuers: new LayeredMap(withoutRemovals(this.#issuers)),
      providers: new LayeredMap(merge(NO_TABLES.providers, this.#providers)),
      configs: new LayeredMap(merge(NO_TABLES.configs, this.#configs)),
      guardrails: new LayeredMap(merge(NO_TABLES.guardrails, this.#guardrails)),
      policies: new LayeredMap(merge(NO_TABLES.policies, this.#policies)),
      prices: new LayeredMap(merge(NO_TABLES.prices, this.#prices)),
      ...this.#finishLibrary((_, changes) => new LayeredMap(changes)),
    };
  }

  #put(compiled: Compiled, leaves: boolean): void {
    const { keys, workspaces, sidecars, issuers, providers, configs, guardrails, policies, prices } = this.#base;
    switch (compiled.kind) {
      case 'key': {
        const { hashes, record, previous } = compiled;
        for (const hash of hashes) this.#note(this.#keys, keys, hash, unless(leaves, record));
        if (previous !== undefined) this.#note(this.#keys, keys, previous.hash, unless(leaves, previous.record));
        break;
      }
      case 'workspace':
        this.#note(this.#workspaces, workspaces, compiled.record.name, unless(leaves, compiled.record));
        break;
      case 'sidecar':
        this.#note(this.#sidecars, sidecars, compiled.record.profile, unless(leaves, compiled.record));
        break;
      case 'issuer':
        this.#note(this.#issuers, issuers, compiled.record.issuer, unless(leaves, compiled.record));
        break;
      case 'provider':
        this.#noteScoped(this.#providers, providers, placeOf(compiled.record), unless(leaves, compiled.record));
        break;
      case 'config':
        this.#noteScoped(this.#configs, configs, placeOf(compiled.record), unless(leaves, compiled.record));
        break;
      case 'guardrail':
        this.#noteScoped(this.#guardrails, guardrails, placeOf(compiled.record), unless(leaves, compiled.record));
        break;
      case 'policy': {
        const { workspace, id: slug } = compiled.record;
        this.#noteScoped(this.#policies, policies, placeOf({ workspace, slug }), unless(leaves, compiled.record));
        break;
      }
      case 'prompt':
      case 'promptVersion':
      case 'partial':
      case 'partialVersion':
        this.#putPrompt(compiled, leaves);
        break;
      case 'price': {
        const { provider: scope, model: name, price } = compiled.record;
        this.#noteScoped(this.#prices, prices, { scope, name }, unless(leaves, price));
        break;
      }
      case 'skipped':
        break;
    }
  }

  #putPrompt(compiled: CompiledLibraryEntry, leaves: boolean): void {
    const { prompts, promptVersions, partials, partialVersions } = this.#base;
    const changes = this.#library;
    switch (compiled.kind) {
      case 'prompt':
        this.#noteScoped(changes.prompts, prompts, placeOf(compiled.record), unless(leaves, compiled.record));
        break;
      case 'partial':
        this.#noteScoped(changes.partials, partials, placeOf(compiled.record), unless(leaves, compiled.record));
        break;
      case 'promptVersion': {
        const { record } = compiled;
        this.#noteScoped(changes.promptVersions, promptVersions, placeOfVersion(record), unless(leaves, record));
        break;
      }
      case 'partialVersion': {
        const { record } = compiled;
        this.#noteScoped(changes.partialVersions, partialVersions, placeOfVersion(record), unless(leaves, record));
        break;
      }
    }
  }

  #noteScoped<T>(
    scopes: Map<string, Changes<T>>,
    base: LayeredMap<Scope<T>>,
    { scope, name }: Place,
    record: T | undefined,
  ): void {
    const changes = scopes.get(scope) ?? new Map<string, T | undefined>();
    scopes.set(scope, changes);
    this.#note(changes, base.get(scope) ?? EMPTY_SCOPE, name, record);
  }

  #note<T>(
    changes: Changes<T>,
    known: { get(name: string): T | undefined },
    name: string,
    record: T | undefined,
  ): void {
    const current = changes.has(name) ? changes.get(name) : known.get(name);
    if (record !== undefined && current !== undefined) this.#isAmbiguous = true;
    changes.set(name, record);
  }
}

const unless = <T>(leaves: boolean, record: T): T | undefined => (leaves ? undefined : record);

const EMPTY_SCOPE = { get: () => undefined };

/** New maps for the scopes that change; unchanged names keep their position. */
function merge<T>(base: LayeredMap<Scope<T>>, changes: ReadonlyMap<string, Changes<T>>): Map<string, Scope<T>> {
  const merged = new Map<string, Scope<T>>();
  for (const [scope, names] of changes) {
    const inner = new Map(base.get(scope));
    for (const [name, record] of names) {
      if (record === undefined) inner.delete(name);
      else inner.set(name, record);
    }
    merged.set(scope, inner);
  }
  return merged;
}

/** Tables that were empty have no removals. */
function withoutRemovals<T>(changes: Changes<T>): Map<string, T> {
  return changes as Map<string, T>; // as above
}
