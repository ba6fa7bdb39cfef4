import { type RoutingNode, walkTargets } from '@gatehouse/crds/config';
import { type CheckPhase, declaresHooks, hooksOf } from '@gatehouse/crds/guardrails';

/** The stored guardrails that a checked config names, at any target. */
export function guardrailSlugs(root: RoutingNode): readonly string[] {
  const slugs = new Set<string>();
  walkTargets(root, [], (node) => {
    for (const slug of [...slugsOf(node, 'input'), ...slugsOf(node, 'output')]) slugs.add(slug);
  });
  return slugs.size === 0 ? NONE : [...slugs];
}

const NONE: readonly string[] = [];

function slugsOf(node: RoutingNode, phase: CheckPhase): readonly string[] {
  if (!declaresHooks(node, phase)) return NONE;
  const hooks = hooksOf(node, phase, { path: [], literalCredentials: true });
  return hooks.ok ? hooks.value.flatMap(({ ref }) => ref ?? []) : NONE;
}
