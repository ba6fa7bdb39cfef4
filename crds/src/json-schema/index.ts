export {
  indexSchema,
  type SchemaIndex,
  type SchemaNode,
  type SchemaProblem,
  type SchemaResource,
} from './index-schema.ts';
export type { Schema, SchemaObject } from './keywords.ts';
