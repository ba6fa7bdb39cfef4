/** JSON Schemas for editors: one per Kind, and one that picks the Kind by `kind`. */
import { z } from 'zod';
import type { AnyKind } from '../src/kinds/index.ts';

type JsonSchema = Record<string, unknown>;

/** Hints for the CRD generator, which editors do not use. */
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

/** The schema of one Kind for people who write it: fields with defaults are optional, unknown fields are errors. */
export function editorSchemaOf(kind: AnyKind): JsonSchema {
  const raw = z.toJSONSchema(kind.resource, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const hint of OWN_HINTS) Reflect.deleteProperty(jsonSchema, hint);
    },
  });
  // zod numbers the shared parts of a recursion; the name of the Kind makes them unique in the combined schema.
  const { $schema: _, ...schema } = JSON.parse(JSON.stringify(raw).replaceAll('__schema', `${kind.kind}Part`));
  return { $schema: DIALECT, title: kind.kind, description: kind.summary, ...schema };
}

/** One schema for files with several Kinds; objects of other kinds pass. */
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
