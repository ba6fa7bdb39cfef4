import { modelRules as modelRulesEntry, modelWhitelist as modelWhitelistEntry } from '@gatehouse/crds/guardrails';
import { undecided } from '../../answers.ts';
import { type CheckSubject, defineCheck } from '../../contract.ts';
import { textsOf } from '../../matched-values.ts';

/** The name that stands for all models. */
const EVERY_MODEL = '*';

const modelOf = ({ request: { model } }: CheckSubject): string | undefined =>
  typeof model === 'string' && model !== '' ? model : undefined;

const noModel = () => undecided({ name: 'NoModel', message: 'the request names no model' });

export const modelWhitelist = defineCheck(modelWhitelistEntry, ({ models, not }) => {
  const listed = new Set(models);
  return (subject) => {
    const model = modelOf(subject);
    if (model === undefined) return noModel();
    const isListed = listed.has(model);
    const verdict = isListed !== not;
    const explanation = `The model is ${isListed ? '' : 'not '}in the list.`;
    return { verdict, data: { verdict, not, explanation, requestedModel: model, allowedModels: models } };
  };
});

export const modelRules = defineCheck(modelRulesEntry, ({ rules: { defaults = [], metadata = {} }, not }) => {
  const rules = Object.entries(metadata).map(([key, values]) => [key, new Map(Object.entries(values))] as const);
  const allowedFor = (given: CheckSubject['metadata']): readonly string[] => {
    const lists = rules.flatMap(([key, values]) =>
      Object.hasOwn(given, key) ? textsOf(given[key]).map((value) => values.get(value) ?? []) : [],
    );
    return lists.some((list) => list.length > 0) ? lists.flat() : defaults;
  };
  return (subject) => {
    const model = modelOf(subject);
    if (model === undefined) return noModel();
    const allowed = allowedFor(subject.metadata);
    if (allowed.length === 0) {
      return {
        verdict: false,
        data: { explanation: 'No rule names models for the metadata, and there are no defaults.' },
      };
    }
    const isListed = allowed.includes(model) || allowed.includes(EVERY_MODEL);
    const explanation = `The model is ${isListed ? '' : 'not '}among those of the rules.`;
    return { verdict: isListed !== not, data: { explanation } };
  };
});
