import { z } from 'zod';
import { checkEntryOf, parseCheck } from '../guardrails/index.ts';
import { createSuggestions } from '../lib/suggestions.ts';
import { createPatternBudget } from '../patterns/index.ts';
import {
  atomicList,
  flag,
  type Issue,
  int,
  opaque,
  pattern,
  type Rule,
  stringMap,
  text,
  withRules,
} from '../schema/index.ts';
import { defineKind, description, displayName, nameRef, statusOf } from './parts/index.ts';

const check = z.strictObject({
  id: pattern(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)?$/, 'a check id like default.contains', 128).meta({
    description: 'id is the check; without a dot it is one of the built-in ones.',
  }),
  name: text('name tells checks with the same id apart in results.', 253).optional(),
  enabled: flag('enabled false skips the check.', true),
  parameters: opaque('parameters are the parameters of the check; each check documents its own.').optional(),
  parametersSecretRef: nameRef(
    'parametersSecretRef names a Secret of the namespace whose entries are the credential of the check; absent: the ' +
      'credential is that of the Integration whose provider is the service of the check.',
  ).optional(),
  softDeny200: z
    .boolean()
    .meta({ description: 'softDeny200 replaces that of the actions for denials of this check.' })
    .optional(),
});

const feedback = z
  .strictObject({
    value: int('value is the score, from -10 to 10.', -10, 10),
    weight: z.number().min(0).max(1).meta({ description: 'weight is how much the score counts.' }).default(1),
    metadata: stringMap('metadata is stored with the feedback.', 64, 128).optional(),
  })
  .meta({ description: 'feedback is stored for the trace.' });

const action = (description: string) => z.strictObject({ feedback: feedback.optional() }).meta({ description });

const actions = z
  .strictObject({
    deny: flag('deny true blocks the call when a check fails.', false),
    async: flag('async true runs the checks in parallel to the call; they never block it.', false),
    sequential: flag(
      'sequential true runs one check after another, each on the output of the one before. Without it all see the same text, and of several checks that change it only the change of the last one stays.',
      false,
    ),
    softDeny200: flag('softDeny200 true answers a denial as status 200 with the message as the answer.', false),
    mode: z.enum(['enforce', 'monitor']).default('enforce').meta({
      description:
        'mode monitor evaluates the checks and records what they would have done; nothing is denied or changed.',
    }),
    buffer: flag('buffer true holds an answer that is a stream until the verdict.', false),
    window: int(
      'window checks an answer that is a stream each time so many new characters have come, and cuts it at the first failure.',
      16,
      1_000_000,
    ).optional(),
    message: text('message is the text of a denial.').optional(),
    onSuccess: action('onSuccess is what happens when all checks pass.').optional(),
    onFail: action('onFail is what happens when a check fails.').optional(),
  })
  .meta({ description: 'actions are what happens after the checks.' });

const RULES: readonly Rule<z.output<typeof actions>>[] = [
  {
    cel: '!(has(self.window) && has(self.buffer) && self.buffer)',
    message: 'buffer holds the whole stream, so that window has no effect beside it',
    at: 'window',
    holds: ({ buffer, window }) => !buffer || window === undefined,
    valid: [{}, { buffer: true }, { window: 200 }, { buffer: false, window: 200 }],
    invalid: [{ buffer: true, window: 200 }],
  },
  {
    cel: '!(has(self.async) && self.async && ((has(self.deny) && self.deny) || (has(self.buffer) && self.buffer) || has(self.window)))',
    message: 'asynchronous checks never block a call: deny, buffer and window have no effect beside async',
    at: 'async',
    holds: ({ async, deny, buffer, window }) => !async || !(deny || buffer || window !== undefined),
    valid: [{ async: true }, { async: true, deny: false }, { deny: true, buffer: true }],
    invalid: [
      { async: true, deny: true },
      { async: true, buffer: true },
      { async: true, window: 200 },
    ],
  },
];

/** Names of users in a status. */
export const MAX_NAMED_USERS = 20;

const users = z
  .object({
    total: int('total is how many resources use the guardrail.', 0, 1_000_000),
    resources: atomicList(
      text('Kind/namespace/name.', 600),
      'resources are the first of them by name, as Kind/namespace/name.',
      MAX_NAMED_USERS,
    ),
  })
  .meta({ description: 'usedBy are the resources that name the guardrail.' });

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    type: z.enum(['guardrail', 'mutator']).default('guardrail').meta({
      description: 'type is mutator for checks that only transform, guardrail for checks that may also deny.',
    }),
    checks: atomicList(check, 'checks are run on the text of the request or the answer.', 64).min(1),
    actions: withRules(actions, RULES).optional(),
  })
  .meta({ description: 'spec is the desired state of the guardrail.' });

type Check = z.output<typeof check>;

/** Ids and parameters of checks, as inline configs are checked. */
function checkIssues(checks: readonly Check[]): Issue[] {
  const shared = { literalCredentials: false, suggest: createSuggestions(), patterns: createPatternBudget() };
  return checks.flatMap(({ parametersSecretRef, ...item }, i): readonly Issue[] => {
    const path = ['spec', 'checks', i];
    const parsed = parseCheck(item, { ...shared, path });
    const entry = checkEntryOf(item.id);
    const isUnused = parametersSecretRef !== undefined && entry !== undefined && entry.credential === undefined;
    const unused: Issue[] = isUnused
      ? [{ code: 'invalid', path: [...path, 'parametersSecretRef'], message: `${entry.id} takes no credential` }]
      : [];
    return parsed.ok ? unused : [...parsed.error, ...unused];
  });
}

export const guardrail = defineKind({
  kind: 'Guardrail',
  plural: 'guardrails',
  shortNames: ['gwg'],
  summary: 'Checks on requests or answers, and the actions that follow.',
  spec,
  status: statusOf({ usedBy: users.optional() }),
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Deny', type: 'string', jsonPath: '.spec.actions.deny' },
    { name: 'Mode', type: 'string', jsonPath: '.spec.actions.mode' },
    { name: 'Used by', type: 'integer', jsonPath: '.status.usedBy.total' },
  ],
  check: ({ spec: { checks } }) => checkIssues(checks),
});
