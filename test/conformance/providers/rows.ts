/** The table of expectations, and the plain exchanges that every row is put through. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Exchange } from './fixture.ts';

const bound = z.union([z.tuple([z.number().nullable(), z.number().nullable()]), z.literal('none')]);
const texts = z.record(z.string(), z.string());

const endpoint = z.strictObject({
  url: z.string(),
  model_optional: z.boolean().default(false),
  model_sent: z.string().optional(),
  rename: texts.default({}),
  drop: z.array(z.string()).default([]),
  clamp: z.record(z.string(), bound).default({}),
  inject: z.record(z.string(), z.unknown()).default({}),
  only: z.array(z.string()).optional(),
  usage_ends: z.boolean().default(false),
});

const row = z.strictObject({
  auth: texts,
  fields: texts.default({}),
  custom_host: z.string().optional(),
  body: z.record(z.string(), z.unknown()).default({}),
  headers: texts.default({}),
  models: z.string().optional(),
  chatComplete: endpoint.optional(),
  complete: endpoint.optional(),
  embed: endpoint.optional(),
});

const file = z.strictObject({
  base: z.record(z.string(), z.record(z.string(), bound)),
  rows: z.record(z.string(), row),
});

export type Row = z.output<typeof row>;
export type EndpointExpectation = z.output<typeof endpoint>;
export type Operation = 'chatComplete' | 'complete' | 'embed';

const { base, rows } = file.parse(parse(readFileSync(new URL('./rows.yaml', import.meta.url), 'utf8')));

export const ROWS: ReadonlyMap<string, Row> = new Map(Object.entries(rows));

export interface RowCase {
  readonly name: string;
  readonly id: string;
  readonly row: Row;
  readonly operation: Operation;
  readonly want: EndpointExpectation;
}

const OPERATIONS = ['chatComplete', 'complete', 'embed'] as const;

/** One case per row and endpoint. */
export const ROW_CASES: readonly RowCase[] = [...ROWS].flatMap(([id, one]) =>
  OPERATIONS.flatMap((operation) => {
    const want = one[operation];
    return want === undefined ? [] : [{ name: `${id} ${operation}`, id, row: one, operation, want }];
  }),
);

/** The bounds of an endpoint: base with the changes of the row. */
export function boundsOf({ operation, want }: RowCase): readonly (readonly [string, number | null, number | null])[] {
  return Object.entries({ ...base[operation], ...want.clamp }).flatMap(([name, value]) =>
    value === 'none' ? [] : [[name, value[0], value[1]] as const],
  );
}

/** A body that no row has to change but for its own peculiarities. */
export const PLAIN_BODIES: Readonly<Record<Operation, Record<string, unknown>>> = {
  chatComplete: { model: 'm1', messages: [{ role: 'user', content: 'Hi' }] },
  complete: { model: 'm1', prompt: 'Hi' },
  embed: { model: 'm1', input: ['Hi'] },
};

/** An exchange of a row, as a fixture would say it. */
export function toExchange({ id, row: one, operation }: RowCase, body: Record<string, unknown>): Exchange {
  return {
    provider: id,
    endpoint: operation,
    fields: { ...one.fields, api_key: 'K' },
    custom_host: one.custom_host,
    strict: true,
    stream: false,
    client_request: { ...body, ...one.body },
    client_headers: {},
    forwarded: {},
    method: 'POST',
    path: '/',
    query: '',
    route: {},
    env: {},
    side_calls: [],
  };
}
