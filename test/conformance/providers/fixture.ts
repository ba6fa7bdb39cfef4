/** The golden exchanges of the providers, read and checked; README.md explains the members. */
import { readdirSync } from 'node:fs';
import { type GoldenCase, goldenCases } from '@gatehouse/test/kit';
import { z } from 'zod';

const texts = z.record(z.string(), z.coerce.string());
const json = z.record(z.string(), z.unknown());

const response = z.strictObject({
  status: z.int().default(200),
  headers: texts.default({}),
  body: z.unknown().optional(),
  text: z.string().optional(),
});

const clientItem = z.union([
  z.strictObject({ chunk: json, event: z.string().optional() }),
  z.strictObject({ usage: json }),
  z.strictObject({ error: json }),
]);

const upstreamMessage = z.union([
  z.strictObject({ event: z.string(), payload: z.unknown() }),
  z.strictObject({ event: z.literal('chunk').default('chunk'), chunk: z.unknown() }),
  z.strictObject({ exception: z.string(), payload: z.unknown() }),
]);

const exchange = z.strictObject({
  provider: z.string(),
  endpoint: z.string(),
  fields: texts.default({}),
  custom_host: z.string().optional(),
  strict: z.boolean().default(true),
  stream: z.boolean().default(false),
  client_request: json.default({}),
  client_headers: texts.default({}),
  forwarded: texts.default({}),
  method: z.string().default('POST'),
  path: z.string().default('/'),
  query: z.string().default(''),
  route: texts.default({}),
  page: z.string().optional(),
  env: texts.default({}),
  side_calls: z
    .array(
      z.strictObject({
        request: z.strictObject({
          method: z.string(),
          url: z.string(),
          headers: texts.default({}),
          body: z.unknown().optional(),
        }),
        response,
      }),
    )
    .default([]),
  upstream_request: z
    .strictObject({
      method: z.string(),
      url: z.string(),
      headers: z.record(z.string(), z.coerce.string().nullable()).default({}),
      exact_headers: z.boolean().default(false),
      body: z.unknown().optional(),
    })
    .optional(),
  upstream_response: response.optional(),
  client_response: z
    .strictObject({
      status: z.int().default(200),
      body: z.unknown().optional(),
      text: z.string().optional(),
      next: z.string().optional(),
    })
    .optional(),
  upstream_stream: z.union([z.string(), z.array(upstreamMessage)]).optional(),
  client_stream: z.union([z.string(), z.array(clientItem)]).optional(),
  client_error: z.string().optional(),
});

export type Exchange = z.output<typeof exchange>;
export type UpstreamMessage = z.output<typeof upstreamMessage>;

export interface Fixture {
  readonly name: string;
  readonly folder: string;
  readonly exchange: Exchange;
  readonly golden: GoldenCase;
}

const PROVIDERS = new URL('../../../gateway/src/providers/', import.meta.url);

/** Every fixture of every provider folder, in name order. A member the README does not know fails the reading. */
export function readFixtures(): readonly Fixture[] {
  return readdirSync(PROVIDERS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(new URL(`${entry.name}/`, PROVIDERS)).includes('fixtures'))
    .flatMap(({ name: folder }) =>
      goldenCases(new URL(`${folder}/fixtures/`, PROVIDERS)).map((golden) => toFixture(folder, golden)),
    );
}

function toFixture(folder: string, golden: GoldenCase): Fixture {
  const name = `${folder}/${golden.name}`;
  const parsed = exchange.safeParse(golden.given);
  if (!parsed.success) throw new Error(`${name}: ${z.prettifyError(parsed.error)}`);
  return { name, folder, golden, exchange: parsed.data };
}
