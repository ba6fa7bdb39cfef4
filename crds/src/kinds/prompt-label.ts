import { z } from 'zod';
import { BUILT_IN_LABELS, isLabelName } from '../prompts/index.ts';
import { pattern, type Rule } from '../schema/index.ts';
import { API_VERSION, defineKind, description, type ObjectMeta, statusOf } from './parts/index.ts';

const spec = z
  .strictObject({
    label: pattern(/^[A-Za-z0-9_-]+$/, 'letters, digits, _ and -', 64)
      .meta({ description: 'label is what stands after the @; absent: the name of the object.' })
      .optional(),
    description: description.optional(),
    color: pattern(/^[#A-Za-z0-9(),.% -]+$/, 'a colour like #3366ff', 64)
      .meta({ description: 'color is how tools show the label.' })
      .optional(),
  })
  .meta({ description: 'spec is the desired state of the label.' });

type Named = { readonly metadata: ObjectMeta; readonly spec: z.output<typeof spec> };

const sample = (name: string, label?: string) => ({
  apiVersion: API_VERSION,
  kind: 'PromptLabel',
  metadata: { name },
  spec: label === undefined ? {} : { label },
});

const nameOf = ({ metadata, spec: { label } }: Named): string => label ?? metadata.name;

const NAME = '(has(self.spec.label) ? self.spec.label : self.metadata.name)';

const RULES: readonly Rule<Named>[] = [
  {
    cel: `${NAME}.matches('^[A-Za-z0-9_-]{1,64}$') && !${NAME}.matches('^[0-9]+$') && !(${NAME} in ['latest', 'default'])`,
    message: 'a label has up to 64 letters, digits, _ and -, not digits alone, and is neither latest nor default',
    at: 'metadata.name',
    holds: (resource) => isLabelName(nameOf(resource)),
    valid: [sample('beta'), sample('beta', 'Beta_2'), sample('1.2', 'v1'), sample('a-1')],
    invalid: [sample('latest'), sample('x', 'default'), sample('12'), sample('a.b'), sample('beta', '7')],
  },
  {
    cel: `!(${NAME} in ['${BUILT_IN_LABELS.join("', '")}']) && !(self.metadata.name in ['${BUILT_IN_LABELS.join("', '")}'])`,
    message: `every workspace has ${BUILT_IN_LABELS.join(', ')} already`,
    at: 'metadata.name',
    holds: (resource) =>
      !BUILT_IN_LABELS.some((label) => label === nameOf(resource) || label === resource.metadata.name),
    valid: [sample('canary')],
    invalid: [sample('production'), sample('x', 'staging'), sample('development', 'dev')],
  },
];

export const promptLabel = defineKind({
  kind: 'PromptLabel',
  plural: 'promptlabels',
  shortNames: ['gwpl'],
  summary: 'A label that versions of prompts may have beside production, staging and development.',
  spec,
  status: statusOf({}),
  columns: [{ name: 'Label', type: 'string', jsonPath: '.spec.label' }],
  rules: RULES,
});
