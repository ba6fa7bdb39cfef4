/** Conventions for generated schemas beyond what an API server requires: bounds, list types, descriptions. */
import type { Structural } from './structural.ts';

/** The only float of a spec: weights are ratios, not amounts. */
const FLOAT_FIELDS: ReadonlySet<string> = new Set(['weight']);

/** Every broken convention of a schema, with its path. */
export function lintSchema(schema: Structural, path: string): string[] {
  return [...visit(schema, path)];
}

function* visit(node: Structural, path: string): Generator<string> {
  for (const [breaks, problem] of CHECKS) if (breaks(node, path)) yield `${path}: ${problem}`;
  for (const [name, member] of Object.entries(node.properties ?? {})) {
    yield* checkMember(node, name, `${path}.${name}`);
    yield* visit(member, `${path}.${name}`);
  }
  if (node.items !== undefined) yield* visit(node.items, `${path}[]`);
  if (node.additionalProperties !== undefined) yield* visit(node.additionalProperties, `${path}.*`);
}

function* checkMember(parent: Structural, name: string, path: string): Generator<string> {
  const member = parent.properties?.[name];
  if (!member?.description?.startsWith(`${name} `)) yield `${path}: the description does not start with the field name`;
  if (member?.default !== undefined && parent.required?.includes(name)) yield `${path}: required and defaulted`;
}

const isOpaque = (node: Structural): boolean => node['x-kubernetes-preserve-unknown-fields'] === true;

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

type Check = readonly [breaks: (node: Structural, path: string) => boolean, problem: string];

const CHECKS: readonly Check[] = [
  [(node) => node.type === undefined && !isOpaque(node) && !node['x-kubernetes-int-or-string'], 'no type'],
  [(node) => node.type === 'string' && node.enum === undefined && node.maxLength === undefined, 'an unbounded string'],
  [(node) => node.type === 'array' && node.maxItems === undefined, 'an unbounded list'],
  [(node) => node.type === 'array' && node['x-kubernetes-list-type'] === undefined, 'no list type'],
  [(node) => node.additionalProperties !== undefined && node.maxProperties === undefined, 'an unbounded map'],
  [(node) => node.type === 'object' && !isOpaque(node) && !hasShape(node), 'an object without shape'],
  [(node) => node.additionalProperties !== undefined && node.properties !== undefined, 'a map with members'],
  [(node, path) => node.type === 'number' && !FLOAT_FIELDS.has(lastName(path)), 'a float'],
  [(node) => node.type === 'integer' && node.minimum === undefined, 'an integer without a minimum'],
];

const hasShape = (node: Structural): boolean =>
  node.properties !== undefined || node.additionalProperties !== undefined;
