/** Fields of a structural schema as rows of a table. */
import { PATTERN_NAMES } from '../../src/schema/index.ts';
import type { Structural } from '../structural.ts';
import { code } from './markdown.ts';

export interface FieldRow {
  /** `spec.targets[].weight` */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly fallback: string;
  readonly description: string;
}

/** Every field below a node, depth first, parents before members. `stop` leaves out everything below a path. */
export function fieldRows(node: Structural, path: string, stop: (path: string) => boolean = () => false): FieldRow[] {
  if (stop(path)) return [];
  const below = node.items ?? node;
  const prefix = `${path}${node.items === undefined ? '' : '[]'}`;
  return Object.entries(below.properties ?? {}).flatMap(([name, member]) => {
    const fieldPath = prefix === '' ? name : `${prefix}.${name}`;
    const row = {
      path: fieldPath,
      type: typeText(member),
      required: below.required?.includes(name) ?? false,
      fallback: member.default === undefined ? '' : JSON.stringify(member.default),
      description: member.description ?? '',
    };
    return [row, ...fieldRows(member, fieldPath, stop)];
  });
}

/** A type with its bounds in words. */
export function typeText(node: Structural): string {
  if (node['x-kubernetes-int-or-string']) return 'quantity';
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(', ');
  if (node['x-kubernetes-preserve-unknown-fields']) return 'any';
  if (node.additionalProperties !== undefined) return `map of text, at most ${node.maxProperties} members`;
  if (node.items !== undefined) return listText(node, node.items);
  if (node.type === 'integer' || node.type === 'number') return numberText(node);
  if (node.type === 'string') return stringText(node);
  return node.type ?? 'any';
}

function listText(node: Structural, items: Structural): string {
  const range = node.minItems === undefined ? `at most ${node.maxItems}` : `${node.minItems} to ${node.maxItems}`;
  return `list of ${items.type === 'object' ? 'objects' : typeText(items)}, ${range}${KINDS_OF_LIST[node['x-kubernetes-list-type'] ?? 'atomic']}`;
}

const KINDS_OF_LIST = { atomic: '', set: ', distinct', map: ', distinct keys' } as const;

function numberText({ type, minimum, maximum }: Structural): string {
  const name = type ?? '';
  if (minimum === undefined && maximum === undefined) return name;
  if (maximum === undefined) return `${name} from ${minimum}`;
  return `${name} ${minimum} to ${maximum}`;
}

function stringText({ format, maxLength, pattern }: Structural): string {
  if (format === 'date-time') return 'time';
  const word = PATTERN_NAMES.get(pattern ?? '');
  if (word !== undefined) return word;
  const bound = maxLength === undefined ? 'text' : `text, at most ${maxLength} characters`;
  return pattern === undefined ? bound : `${bound}, like ${code(pattern)}`;
}
