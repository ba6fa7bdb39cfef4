/** The CustomResourceDefinition of a Kind. */
import { type AnyKind, CATEGORY, GROUP, VERSION } from '../src/kinds/index.ts';
import { UNSEEN_GENERATION } from '../src/kinds/parts/index.ts';
import { MAX_NAME, ruleRegistry } from '../src/schema/index.ts';
import { lintSchema } from './lint.ts';
import { noteRefused } from './refused.ts';
import { type RuleAtPath, type Structural, toStructural, toValidation, type Validation } from './structural.ts';

export interface KindSchema {
  /** The schema of the whole object, as in the CRD. */
  readonly schema: Structural;
  /** Every CEL rule with its path and samples. */
  readonly rules: readonly RuleAtPath[];
}

/** The structural schema of a Kind. Throws with every broken convention. */
export function schemaOf(kind: AnyKind): KindSchema {
  const spec = toStructural(kind.spec, 'spec');
  const status = toStructural(kind.status, 'status');
  const problems = [...lintSchema(spec.schema, 'spec'), ...lintSchema(status.schema, 'status')];
  if (problems.length > 0) throw new Error(problems.map((problem) => `${kind.kind} ${problem}`).join('\n'));
  const own = ruleRegistry.get(kind.resource)?.rules ?? [];
  const schema = wholeObject(kind, { spec: spec.schema, status: status.schema }, own.map(toValidation));
  noteRefused(kind, schema);
  return {
    schema,
    rules: [...own.map((rule) => ({ path: '', rule })), ...spec.rules, ...status.rules],
  };
}

function wholeObject(
  kind: AnyKind,
  { spec, status }: { readonly spec: Structural; readonly status: Structural },
  validations: readonly Validation[],
): Structural {
  return {
    type: 'object',
    description: kind.summary,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'apiVersion is the group and version of the schema.' },
      kind: { type: 'string', description: 'kind is the name of the Kind.' },
      // The only constraint that a CRD may put on metadata; a rule about the name needs it for its fieldPath.
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: MAX_NAME } } },
      spec,
      // Until the operator has processed an object, kstatus must not report it as healthy.
      status: { ...status, default: { observedGeneration: UNSEEN_GENERATION } },
    },
    ...(validations.length === 0 ? {} : { 'x-kubernetes-validations': validations }),
  };
}

/** The CustomResourceDefinition of a Kind as a plain object. */
export function crdOf(kind: AnyKind): Record<string, unknown> {
  const { plural, singular, shortNames, scope } = kind;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}`, labels: { 'app.kubernetes.io/part-of': 'gatehouse' } },
    spec: {
      group: GROUP,
      names: { kind: kind.kind, listKind: `${kind.kind}List`, plural, singular, shortNames, categories: [CATEGORY] },
      scope,
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          additionalPrinterColumns: kind.columns.map(({ wide, ...column }) => ({
            ...column,
            ...(wide ? { priority: 1 } : {}),
          })),
          subresources: { status: {}, ...(kind.scale === undefined ? {} : { scale: kind.scale }) },
          schema: { openAPIV3Schema: schemaOf(kind).schema },
        },
      ],
    },
  };
}
