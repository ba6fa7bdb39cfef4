import { OPERATION_SCOPES, type ScopedOperation } from './operation-scopes.generated.ts';

/** One segment of a path after another; `{}` stands for any. */
interface Node {
  readonly next: Map<string, Node>;
  readonly scopes: Map<string, readonly string[]>;
}

const ANY = '{}';

/**
 * The scopes of which a key needs one for a call of the management API; empty: the operation is public; undefined: there is no such
 * operation. `path` is below `/v1`, without a query.
 */
export function scopesOf(method: string, path: string): readonly string[] | undefined {
  root ??= treeOf(OPERATION_SCOPES);
  return find(root, path.split('/').filter(Boolean), method === 'HEAD' ? 'GET' : method);
}

let root: Node | undefined;

function treeOf(operations: readonly ScopedOperation[]): Node {
  const top: Node = { next: new Map(), scopes: new Map() };
  for (const { method, path, scopes } of operations) {
    let node = top;
    for (const segment of path.split('/').filter(Boolean)) {
      const name = segment.startsWith('{') ? ANY : segment;
      const next = node.next.get(name) ?? { next: new Map(), scopes: new Map() };
      node.next.set(name, next);
      node = next;
    }
    node.scopes.set(method, scopes);
  }
  return top;
}

/** A segment that is written in full goes before one that stands for any. */
function find(node: Node, [segment, ...rest]: readonly string[], method: string): readonly string[] | undefined {
  if (segment === undefined) return node.scopes.get(method);
  for (const next of [node.next.get(segment), node.next.get(ANY)]) {
    const found = next === undefined ? undefined : find(next, rest, method);
    if (found !== undefined) return found;
  }
  return undefined;
}
