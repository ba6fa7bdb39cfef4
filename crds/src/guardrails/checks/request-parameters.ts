/** Parameters of the check of tools and parameters: docs/behaviour/guardrails.md#checks-of-requests. */
import { z } from 'zod';
import { atomicList } from '../../schema/index.ts';
import { defineCheckEntry } from '../check.ts';

const MAX_NAMES = 1_024;
const MAX_NAME = 256;
const MAX_VALUES = 256;
const MAX_VALUE = 1_024;
const MAX_RULES = 128;

const name = z.string().min(1).max(MAX_NAME);
const names = (description: string) =>
  atomicList(name, `${description} An empty list says nothing.`, MAX_NAMES).default([]);

const primitive = z.union([z.string().max(MAX_VALUE), z.number(), z.boolean(), z.null()]);
const values = (description: string) => atomicList(primitive, description, MAX_VALUES).default([]);

const tools = z
  .strictObject({
    blockedTypes: names('blockedTypes are types of tools that fail, such as function or mcp.'),
    allowedTypes: names('allowedTypes are the only types of tools that pass.'),
    blockedFunctionNames: names('blockedFunctionNames are names of tools that fail.'),
    allowedFunctionNames: names('allowedFunctionNames are the only names of tools that pass.'),
  })
  .prefault({})
  .meta({ description: 'tools are rules for the tools of the request.' });

const valueRule = z.strictObject({
  blockedValues: values('blockedValues are values that fail.'),
  allowedValues: values('allowedValues are the only values that pass.'),
});

const params = z
  .strictObject({
    blockedKeys: names('blockedKeys are parameters that fail.'),
    allowedKeys: names(
      'allowedKeys are the only parameters that pass; model and messages are among those of a request.',
    ),
    values: z
      .record(name, valueRule)
      .refine((rules) => Object.keys(rules).length <= MAX_RULES, { error: `at most ${MAX_RULES} parameters` })
      .default({})
      .meta({
        description: 'values are rules for the values of parameters that are present, by name of the parameter.',
        opaque: true,
        maxProperties: MAX_RULES,
      }),
  })
  .prefault({})
  .meta({ description: 'params are rules for the parameters at the first level of the request.' });

type Tools = z.output<typeof tools>;
type Params = z.output<typeof params>;

/** Pairs of lists that exclude each other, each with the path of the second one. */
const oppositesOf = (tools: Tools, params: Params) => [
  { path: ['tools', 'allowedTypes'], blocked: tools.blockedTypes, allowed: tools.allowedTypes },
  {
    path: ['tools', 'allowedFunctionNames'],
    blocked: tools.blockedFunctionNames,
    allowed: tools.allowedFunctionNames,
  },
  { path: ['params', 'allowedKeys'], blocked: params.blockedKeys, allowed: params.allowedKeys },
  ...Object.entries(params.values).map(([key, { blockedValues, allowedValues }]) => ({
    path: ['params', 'values', key, 'allowedValues'],
    blocked: blockedValues,
    allowed: allowedValues,
  })),
];

export const requestParametersCheck = defineCheckEntry({
  id: 'default.requestParametersCheck',
  summary: 'Passes when no tool and no parameter of the request is against the rules.',
  phases: ['input'],
  parameters: z.strictObject({ tools, params }).superRefine(({ tools, params }, context) => {
    for (const { path, blocked, allowed } of oppositesOf(tools, params)) {
      const refused = new Set<unknown>(blocked);
      const at = allowed.findIndex((one) => refused.has(one));
      if (at === -1) continue;
      context.addIssue({ code: 'custom', path: [...path, at], message: 'is among the blocked ones, too' });
    }
  }),
});
