/** The names under which the price of a model may be listed, the name of the call first: docs/behaviour/cost.md. */

type NameRule = (model: string, inputTokens: number) => readonly string[];

/** Prefixes of Bedrock's inference profiles. */
const REGION_GROUP = /^(?:us-gov|us|eu|apac|global|au|ca|jp)\./;
/** The publisher in front of a model's name, as in `anthropic.claude-sonnet-4`. */
const PUBLISHER = /^[a-z]+\./;
/** Up to so many tokens of input, Google's older models have a price of their own. */
const SHORT_CONTEXT_TOKENS = 128_000;
/** Billions of parameters in a model's name, as in `llama-v3-70b`. */
const PARAMETERS = /(?:^|[^\d.])(\d{1,4}(?:\.\d{1,3})?)b(?![a-z\d])/i;

const contextLength: NameRule = (model, inputTokens) => {
  const name = model.slice(model.lastIndexOf('/') + 1).replace(PUBLISHER, '');
  return [name, `${name}-${inputTokens > SHORT_CONTEXT_TOKENS ? 'gt' : 'lte'}-128k`];
};

/** The smallest of the sizes that has room for the model's parameters; none: the largest. */
const sizeBucket =
  (sizes: readonly number[]): NameRule =>
  (model) => {
    const billions = Number(PARAMETERS.exec(model)?.[1] ?? Number.NaN);
    const size = Number.isNaN(billions) ? undefined : (sizes.find((limit) => billions <= limit) ?? sizes.at(-1));
    return size === undefined ? [] : [`${size}b`];
  };

const RULES: Readonly<Record<string, NameRule>> = {
  openai: (model) => (model.startsWith('ft:') ? [model.split(':', 2).join(':')] : []),
  'azure-openai': (model) => [model.replace(/\.ft.*$/, '')],
  bedrock: (model) => {
    const name = model.slice(model.lastIndexOf('/') + 1);
    return [name, name.replace(REGION_GROUP, '')];
  },
  google: contextLength,
  'vertex-ai': contextLength,
  predibase: sizeBucket([7, 21, 70]),
};

/** The names of the model at the provider, each once. */
export function priceNames(provider: string, model: string, inputTokens = 0): readonly string[] {
  const rule = Object.hasOwn(RULES, provider) ? RULES[provider] : undefined;
  return rule === undefined ? [model] : [...new Set([model, ...rule(model, inputTokens)])];
}
