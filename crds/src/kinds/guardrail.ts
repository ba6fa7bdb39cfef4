import { z } from 'zod';
import { atomicList, flag, int, opaque, pattern, stringMap, text } from '../schema/index.ts';
import { defineKind, description, displayName, nameRef, statusOf } from './parts/index.ts';

const check = z.strictObject({
  id: pattern(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)?$/, 'a check id like default.contains', 128).meta({
    description: 'id is the check; without a dot it is one of the built-in ones.',
  }),
  enabled: flag('enabled false skips the check.', true),
  parameters: opaque('parameters are the parameters of the check; each check documents its own.').optional(),
  parametersSecretRef: nameRef(
    'parametersSecretRef names a Secret whose entries become parameters.credentials.',
  ).optional(),
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
    sequential: flag('sequential true runs one check after another, each on the output of the one before.', false),
    softDeny200: flag('softDeny200 true answers a denial as status 200 with the message as the answer.', false),
    message: text('message is the text of a denial.').optional(),
    onSuccess: action('onSuccess is what happens when all checks pass.').optional(),
    onFail: action('onFail is what happens when a check fails.').optional(),
  })
  .meta({ description: 'actions are what happens after the checks.' });

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    type: z.enum(['guardrail', 'mutator']).default('guardrail').meta({
      description: 'type is mutator for checks that only transform, guardrail for checks that may also deny.',
    }),
    checks: atomicList(check, 'checks are run on the text of the request or the answer.', 64).min(1),
    actions: actions.optional(),
  })
  .meta({ description: 'spec is the desired state of the guardrail.' });

export const guardrail = defineKind({
  kind: 'Guardrail',
  plural: 'guardrails',
  shortNames: ['gwg'],
  summary: 'Checks on requests or answers, and the actions that follow.',
  spec,
  status: statusOf({}),
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Deny', type: 'string', jsonPath: '.spec.actions.deny' },
  ],
});
