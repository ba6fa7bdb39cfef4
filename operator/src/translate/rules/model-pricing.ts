import { conflicted, defineRule } from '../types/index.ts';

export const modelPricing = defineRule({
  kind: 'ModelPricing',
  translate({ metadata: { name }, spec: { description: _, ...prices } }, _scope, view) {
    const first = view.pricingFor(prices.provider, prices.model);
    if (first !== undefined && first !== name) {
      const message = `${first} sets the price of ${prices.model} of ${prices.provider} and came first`;
      return { entries: [], findings: [conflicted(['spec', 'model'], message)] };
    }
    return { entries: [{ kind: 'price', workspace: null, name, body: prices }], findings: [] };
  },
});
