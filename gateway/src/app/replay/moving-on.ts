/** What a target has answered after which its request went on to another one; docs/behaviour/routing.md#strategies. */
import type { PlanNode } from '../../routing/index.ts';

export interface MovingOn {
  readonly status: number;
  /** Other statuses lead to other targets: which one came is not known. */
  readonly isGuess: boolean;
}

/** That providers have when they fail. */
const USUAL = 503;

/** Of the leaf with this path. After the status of the innermost fallback that has more targets the request goes on. */
export function movingOn(root: PlanNode, path: string): MovingOn {
  const [inner, ...outer] = codesOnWay(root, path).toReversed();
  if (inner === undefined || inner === 'all') return { status: USUAL, isGuess: false };
  const isElsewhere = (codes: Codes): boolean => codes === 'all' || !codes.isSubsetOf(inner);
  return { status: inner.has(USUAL) ? USUAL : ([...inner][0] ?? USUAL), isGuess: outer.some(isElsewhere) };
}

/** Statuses after which a fallback goes on. */
type Codes = ReadonlySet<number> | 'all';

/** Of all fallbacks above the leaf that have targets behind it and a status that leads there, from the root on. */
function codesOnWay(node: PlanNode, path: string): readonly Codes[] {
  if (node.kind === 'leaf') return [];
  const at = node.children.findIndex((child) => isAbove(child, path));
  const child = node.children[at];
  if (child === undefined) return [];
  const below = codesOnWay(child, path);
  if (node.mode !== 'fallback' || at === node.children.length - 1 || node.onStatusCodes?.size === 0) return below;
  return [node.onStatusCodes ?? 'all', ...below];
}

const isAbove = (node: PlanNode, path: string): boolean =>
  node.kind === 'leaf' ? node.path === path : node.children.some((child) => isAbove(child, path));
