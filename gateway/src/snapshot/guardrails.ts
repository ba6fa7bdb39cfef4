/** The guardrails of names, and those that apply by default; docs/behaviour/guardrails.md. */
import type { CheckPhase } from '@gatehouse/crds/guardrails';
import type { CompiledHook, HookOwner } from '../guardrails/index.ts';
import type { LayeredMap } from '../lib/layered-map.ts';
import type { GuardrailRecord, OrganisationRecord, WorkspaceRecord } from './compiled-entries.ts';
import { ORGANISATION, type Scope, type Tables } from './tables.ts';

/** The guardrails that apply to every request of a workspace in a phase, in their order. */
export interface DefaultGuardrails {
  readonly hooks: readonly CompiledHook[];
  /** Slugs of those that do not exist. */
  readonly missing: readonly string[];
  /** The credential of one of them stays with the fleet. */
  readonly needsFleet: boolean;
}

interface DefaultSlug {
  readonly slug: string;
  /** Where it is looked up first. */
  readonly scope: string;
  /** Whose list names it. */
  readonly owner: HookOwner;
}

/** The guardrail that a slug names in a workspace: its own, else that of the organisation. */
export const guardrailOf = (
  guardrails: LayeredMap<Scope<GuardrailRecord>>,
  workspace: string,
  slug: string,
): GuardrailRecord | undefined => guardrails.get(workspace)?.get(slug) ?? guardrails.get(ORGANISATION)?.get(slug);

const NO_GUARDRAILS: DefaultGuardrails = { hooks: [], missing: [], needsFleet: false };

/**
 * Lists are made once for each workspace that has requests. A name in the organisation's list is that of a guardrail of the
 * organisation: a workspace cannot replace it by one of its own.
 */
export function defaultGuardrailsOf(
  { guardrails, workspaces }: Pick<Tables, 'guardrails' | 'workspaces'>,
  organisation: OrganisationRecord,
): (workspace: string, phase: CheckPhase) => DefaultGuardrails {
  const lists = { input: new Map<string, DefaultGuardrails>(), output: new Map<string, DefaultGuardrails>() };
  return (name, phase) => {
    const known = lists[phase].get(name);
    if (known !== undefined) return known;
    const workspace = workspaces.get(name);
    if (workspace === undefined) return NO_GUARDRAILS;
    const list = toList([
      ...slugsOfOrganisation(organisation, workspace, phase).map(
        (slug) => ({ slug, scope: ORGANISATION, owner: 'organisation' }) as const,
      ),
      ...slugsOfWorkspace(workspace, phase).map((slug) => ({ slug, scope: name, owner: 'workspace' }) as const),
    ]);
    lists[phase].set(name, list);
    return list;
  };

  function toList(named: readonly DefaultSlug[]): DefaultGuardrails {
    if (named.length === 0) return NO_GUARDRAILS;
    const owners = new Map<GuardrailRecord, HookOwner>();
    const missing = new Set<string>();
    for (const { slug, scope, owner } of named) {
      const record = guardrailOf(guardrails, scope, slug);
      if (record === undefined) missing.add(slug);
      else if (!owners.has(record)) owners.set(record, owner);
    }
    const hooks = [...owners].map(([{ hook }, owner]): CompiledHook => ({ ...hook, owner }));
    return { hooks, missing: [...missing], needsFleet: hooks.some((hook) => hook.needsFleet) };
  }
}

const NO_SLUGS: readonly string[] = [];

function slugsOfOrganisation(
  organisation: OrganisationRecord,
  workspace: WorkspaceRecord,
  phase: CheckPhase,
): readonly string[] {
  const isExempt = phase === 'input' ? workspace.exemptInputGuardrails : workspace.exemptOutputGuardrails;
  if (isExempt === true) return NO_SLUGS;
  return (phase === 'input' ? organisation.inputGuardrails : organisation.outputGuardrails) ?? NO_SLUGS;
}

const slugsOfWorkspace = ({ defaults }: WorkspaceRecord, phase: CheckPhase): readonly string[] =>
  (phase === 'input' ? defaults.inputGuardrails : defaults.outputGuardrails) ?? NO_SLUGS;
