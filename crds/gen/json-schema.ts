/** JSON Schemas for editors: one per Kind, and one that picks the Kind by `kind`. */
import { z } from 'zod';
import type { AnyKind } from '../src/kinds/index.ts';

type JsonSchema = Record<string, unknown>;

/** Our own hints in the registry, which mean nothing to an editor. */
const OWN_HINTS = [
  'listType',
  'listMapKeys',
  'opaque',
  'immutable',
  'recursive',
  'recursiveMaxItems',
  'webhookOnly',
  'secret',
];

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The schema of one Kind as people write it: defaults may be left out, unknown fields are marked. */
export function editorSchemaOf(kind: AnyKind): JsonSchema {
  const raw = z.toJSONSchema(kind.resource, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const hint of OWN_HINTS) Reflect.deleteProperty(jsonSchema, hint);
    },
  });
  // zod numbers the parts that a recursion shares; the name of the Kind keeps them apart in the combined schema.
  const { $schema: _, ...schema } = JSON.parse(JSON.stringify(raw).replaceAll('__schema', `${kind.kind}Part`));
  return { $schema: DIALECT, title: kind.kind, description: kind.summary, ...schema };
}

/** One schema for files that mix Kinds; other kinds of objects pass. */
export function combinedSchema(kinds: readonly AnyKind[]): JsonSchema {
  const $defs: JsonSchema = {};
  for (const kind of kinds) {
    const { $schema: _, $defs: parts, ...schema } = editorSchemaOf(kind);
    Object.assign($defs, parts, { [kind.kind]: schema });
  }
  return {
    $schema: DIALECT,
    title: 'Gatehouse resources',
    type: 'object',
    required: ['apiVersion', 'kind'],
    allOf: kinds.map(({ kind }) => ({
      if: { required: ['kind'], properties: { kind: { const: kind } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { $ref: `#/$defs/${kind}` },
    })),
    $defs,
  };
}
