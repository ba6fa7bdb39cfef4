/** values.yaml, values.schema.json and the reference page of the chart's values. */
import { code, page, table } from '@gatehouse/crds/gen';
import { Document, isMap, isPair, isScalar, type Pair, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { isLeaf, type Leaf, type Members, type Section } from './parts.ts';

type JsonSchema = Record<string, unknown>;

const WIDTH = 118;

/** Hints of our own in the schemas of kinds; they mean nothing to Helm. */
const OWN_HINTS = ['listType', 'listMapKeys', 'opaque', 'immutable', 'recursive', 'recursiveMaxItems', 'webhookOnly'];

/** Every leaf by its path, e.g. `operator.image.tag`. */
export function leavesOf(members: Members, prefix = ''): ReadonlyMap<string, Leaf> {
  const entries = Object.entries(members).flatMap(([name, member]): (readonly [string, Leaf])[] => {
    const path = `${prefix}${name}`;
    return isLeaf(member) ? [[path, member]] : [...leavesOf(member.members, `${path}.`)];
  });
  return new Map(entries);
}

/** The defaults as an object. */
export function defaultsOf(members: Members): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      isLeaf(member) ? member.fallback : defaultsOf(member.members),
    ]),
  );
}

/** A closed JSON Schema. `global` is what Helm adds itself where the chart is part of another one. */
export function valuesSchema(members: Members): JsonSchema {
  const schema = objectSchema(members);
  const properties = { ...(schema['properties'] as JsonSchema), global: { type: 'object' } }; // built just above
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema, properties };
}

function objectSchema(members: Members, needs: Section['needs'] = {}): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      {
        description: member.description,
        ...(isLeaf(member) ? leafSchema(member) : objectSchema(member.members, member.needs)),
      },
    ]),
  );
  const rules = Object.entries(needs).map(([name, other]) => ({
    anyOf: [
      { properties: { [name]: { maxLength: 0 } } },
      { required: [other], properties: { [other]: { minLength: 1 } } },
    ],
  }));
  return { type: 'object', additionalProperties: false, properties, ...(rules.length === 0 ? {} : { allOf: rules }) };
}

function leafSchema({ schema }: Leaf): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const hint of OWN_HINTS) Reflect.deleteProperty(jsonSchema, hint);
    },
  });
  return rest;
}

/** values.yaml with a comment before every value, and an example where the default shows nothing. */
export function valuesYaml(members: Members): string {
  const document = new Document(defaultsOf(members), { aliasDuplicateObjects: false });
  if (isMap(document.contents)) comment(document.contents, members, 0);
  return document.toString({ lineWidth: 0 });
}

function comment(map: YAMLMap, members: Members, depth: number): void {
  for (const [i, pair] of map.items.entries()) {
    const member = isPair(pair) && isScalar(pair.key) ? members[String(pair.key.value)] : undefined;
    if (member === undefined || !isScalar(pair.key)) continue;
    pair.key.commentBefore = [member.description, ...exampleOf(member)]
      .map((text) => wrap(text, WIDTH - 2 * depth))
      .join('\n');
    pair.key.spaceBefore = depth === 0 && i > 0;
    descend(pair, member, depth);
  }
}

const EMPTY: ReadonlySet<string> = new Set(['""', '[]', '{}', 'null']);

function exampleOf(member: Members[string]): readonly string[] {
  if (!isLeaf(member) || !EMPTY.has(JSON.stringify(member.fallback))) return [];
  return [`Example: ${JSON.stringify(member.example)}`];
}

function descend({ value }: Pair, member: Members[string], depth: number): void {
  if (!isMap(value) || isLeaf(member)) return;
  comment(value, member.members, depth + 1);
}

/** Lines as the body of YAML comments. */
function wrap(text: string, width: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length + 1 > width) lines.push(` ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}

/** The reference page. */
export function valuesPage(members: Members): string {
  const rows = [...leavesOf(members)].map(([path, { description, fallback, example }]) => [
    code(path),
    code(JSON.stringify(fallback)),
    code(JSON.stringify(example)),
    description,
  ]);
  return page('Values of the chart', [
    'Of `charts/gatehouse`. The schema is closed: `helm` refuses a value that is not in this table. Objects are merged with their ' +
      'defaults, lists replace them.',
    table(['value', 'default', 'example', 'meaning'], rows),
  ]);
}
