/** Notes in the descriptions of a schema about what this version refuses, so that `kubectl explain` says so. */
import { type AnyKind, UNSUPPORTED } from '../src/kinds/index.ts';
import type { Structural } from './structural.ts';

/** Marks refused fields below the node of the whole object, in place. Throws when a table names a field that does not exist. */
export function noteRefused({ kind }: AnyKind, whole: Structural): void {
  for (const { feature, fields, value } of UNSUPPORTED) {
    const note = value === undefined ? 'Refused' : `The value ${value} is refused`;
    const text = `${note}: ${feature} not part of this version.`;
    const paths = Object.entries(fields).find(([name]) => name === kind)?.[1] ?? [];
    for (const path of paths) append(nodeAt(whole, path), text);
  }
  const config = whole.properties?.['spec']?.properties?.['config'];
  if (kind === 'GatewayConfig' && config !== undefined) noteConfig(config);
}

/** A routing config and its targets, as deep as they are written out. */
function noteConfig(node: Structural): void {
  append(nodeAt(node, 'cache.mode'), 'The value semantic is refused: the semantic cache is not part of this version.');
  const target = node.properties?.['targets']?.items;
  if (target?.properties !== undefined) noteConfig(target);
}

function append(node: Structural, text: string): void {
  const { description } = node;
  if (description === undefined) throw new Error(`a refused field without a description: ${text}`);
  node.description = `${description} ${text}`;
}

function nodeAt(root: Structural, path: string): Structural {
  let node: Structural | undefined = root;
  for (const step of path.split('.')) {
    const member: Structural | undefined = node?.properties?.[step.replace('[]', '')];
    node = step.endsWith('[]') ? member?.items : member;
  }
  if (node === undefined) throw new Error(`there is no field ${path} to be refused`);
  return node;
}
