import { defineRule, missing, objectKey, verdictKey } from '../types/index.ts';

/** Collections are for people and tools: gateways do not know them. */
export const promptCollection = defineRule({
  kind: 'PromptCollection',
  translate({ spec: { parentRef } }, { namespace }, view) {
    if (parentRef === undefined || view.exists('PromptCollection', namespace, parentRef.name)) {
      return { entries: [], findings: [] };
    }
    const keys = [verdictKey('PromptCollection', objectKey(namespace, parentRef.name))];
    const message = `the PromptCollection ${parentRef.name} does not exist`;
    return { entries: [], findings: [missing(['spec', 'parentRef', 'name'], message, 'serve', keys)] };
  },
});
