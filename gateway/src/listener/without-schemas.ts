import type { FastifyServerOptions } from 'fastify';

const refuse = (): never => {
  throw new Error('Routes of the gateway have no JSON Schema');
};

/** Options of an app whose routes have no JSON Schema: the compilers of schemas, 5 MB of memory, are not loaded. */
export const WITHOUT_SCHEMAS = {
  schemaController: { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } },
} as const satisfies FastifyServerOptions;
