/** Files of texts with the verdicts that are expected of a guardrail: docs/guide/guardrail-tests.md. */
import { z } from 'zod';
import { err, ok, type Result } from '../lib/result.ts';
import { fromZodError, type Issue, opaque } from '../schema/index.ts';

/** Longer ones are too long for every check. */
const MAX_TEXT = 4_194_304;
const MAX_CASES = 10_000;

const verdict = z.enum(['pass', 'fail']);

const testCase = z.strictObject({
  text: z.string().max(MAX_TEXT).meta({ description: 'text is the last message of a request, or an answer.' }),
  name: z.string().max(253).optional().meta({ description: 'name is shown in place of the text.' }),
  phase: z.enum(['input', 'output']).default('input').meta({ description: 'phase is where the text is checked.' }),
  expected: z
    .union([verdict, z.boolean().transform((passes) => (passes ? ('pass' as const) : ('fail' as const)))])
    .optional()
    .meta({ description: 'expected is pass or fail, also written as true or false; absent: any verdict will do.' }),
  expectedText: z
    .string()
    .max(MAX_TEXT)
    .optional()
    .meta({ description: 'expectedText is the text as the guardrail leaves it.' }),
  model: z.string().max(512).default('').meta({ description: 'model is that of the request.' }),
  metadata: opaque('metadata is that of the request.').default({}),
  request: opaque(
    'request has further members of a chat completion: messages before the text, tools, parameters.',
  ).default({}),
});

const testCases = z.array(testCase).min(1).max(MAX_CASES);

const testFile = z.strictObject({
  guardrail: z
    .union([z.string().min(1).max(4_096), z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .optional()
    .meta({ description: 'guardrail is a file with a Guardrail, from the folder of this one, or hooks written out.' }),
  cases: testCases,
});

export type GuardrailTestCase = z.output<typeof testCase>;
export type GuardrailTestFile = z.output<typeof testFile>;

/** One line of a file that has a case on each. */
export const parseTestCase = (value: unknown): Result<GuardrailTestCase, readonly Issue[]> => parse(testCase, value);

/** A list of cases, or an object with cases and guardrail. */
export function parseTestFile(value: unknown): Result<GuardrailTestFile, readonly Issue[]> {
  if (!Array.isArray(value)) return parse(testFile, value);
  const cases = parse(testCases, value);
  return cases.ok ? ok({ cases: cases.value }) : cases;
}

function parse<S extends z.ZodType>(schema: S, value: unknown): Result<z.output<S>, readonly Issue[]> {
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : err(fromZodError(parsed.error, { schema, value }));
}
