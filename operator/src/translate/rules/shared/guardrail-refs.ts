/**
 * References to guardrails. The gateway resolves them by name with every request and refuses requests where one is missing, so
 * that the object that names it is served all the same.
 */

import { type RoutingNode, walkTargets } from '@gatehouse/crds/config';
import { HOOK_MEMBERS, parseHooks } from '@gatehouse/crds/guardrails';
import type { Finding, Lookups, ObjectScope } from '../../types/index.ts';
import { missing, objectKey, verdictKey } from '../../types/index.ts';

type Path = Finding['path'];

/** Where names are looked up: the first namespace that has the guardrail. */
type Homes = readonly string[];

export interface GuardrailRefs {
  readonly findings: readonly Finding[];
  /** Keys of the Guardrails, as of verdicts. */
  readonly uses: readonly string[];
}

interface NamedGuardrail {
  readonly name: string;
  readonly path: Path;
}

/** The guardrails that are named, and findings about those that do not exist. */
export function guardrailRefs(named: readonly NamedGuardrail[], homes: Homes, view: Lookups): GuardrailRefs {
  const findings: Finding[] = [];
  const uses = new Set<string>();
  for (const { name, path } of named) {
    const keys = homes.map((home) => verdictKey('Guardrail', objectKey(home, name)));
    const at = homes.findIndex((home) => view.exists('Guardrail', home, name));
    const key = keys[at];
    if (key !== undefined) uses.add(key);
    else findings.push(missing(path, `the Guardrail ${name} does not exist: requests are refused`, 'serve', keys));
  }
  return { findings, uses: [...uses] };
}

type Refs = readonly { readonly name: string }[];

/** The members of an Organisation or of the defaults of a Workspace that name guardrails. */
export const namedIn = (
  { inputGuardrailRefs = [], outputGuardrailRefs = [] }: DefaultRefs,
  path: Path,
): readonly NamedGuardrail[] =>
  Object.entries({ inputGuardrailRefs, outputGuardrailRefs }).flatMap(([member, refs]) =>
    refs.map(({ name }, i) => ({ name, path: [...path, member, i, 'name'] })),
  );

interface DefaultRefs {
  readonly inputGuardrailRefs?: Refs | undefined;
  readonly outputGuardrailRefs?: Refs | undefined;
}

/** The same as slugs, for the Snapshot; no member where there are none. */
export const defaultSlugs = ({ inputGuardrailRefs = [], outputGuardrailRefs = [] }: DefaultRefs) => ({
  ...(inputGuardrailRefs.length === 0 ? {} : { inputGuardrails: inputGuardrailRefs.map(({ name }) => name) }),
  ...(outputGuardrailRefs.length === 0 ? {} : { outputGuardrails: outputGuardrailRefs.map(({ name }) => name) }),
});

/** The stored guardrails that a config names, at any target. */
export function namedInConfig(root: RoutingNode, at: Path): readonly NamedGuardrail[] {
  const named: NamedGuardrail[] = [];
  walkTargets(root, [], (node, path) => {
    for (const phase of ['input', 'output'] as const) {
      for (const member of HOOK_MEMBERS[phase]) {
        for (const [i, item] of (node[member] ?? []).entries()) {
          const here = [...at, ...path, member, i];
          const name = slugOf(item);
          if (name !== undefined) named.push({ name, path: here });
        }
      }
    }
  });
  return named;

  function slugOf(item: unknown): string | undefined {
    const parsed = parseHooks([item], { path: [], phase: 'input', literalCredentials: false, patterns: 'checked' });
    return parsed.ok ? parsed.value[0]?.ref : undefined;
  }
}

/** Namespaces in which the names of an object are looked up. */
export const homesOf = ({ namespace, settings }: Pick<ObjectScope, 'namespace' | 'settings'>): Homes => [
  ...new Set([namespace, settings.organisationNamespace]),
];
